"""Layouts of answers in HTML, by mail program, with `{answer}` and the text around our mail.

`{ours}` is our mail as HTML, `{marked}` with a mark before each line, `{paragraphs}` as Word has it. `{head}` is the
head of it, `{introduction}` the sentence before it, `{sender}` who it is from. A station 94 is a decoy.
"""

# fmt: off
PAGES = {
    "gmail": (
        '<div dir="ltr">{answer}</div><br><div class="gmail_quote gmail_quote_container">'
        '<div dir="ltr" class="gmail_attr">{introduction}<br></div>'
        '<blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex">{ours}</blockquote></div>'
    ),
    "gmail-extra": (
        '<div dir="ltr">{answer}</div><div class="gmail_extra"><br><div class="gmail_quote">'
        "{introduction}<br>{ours}</div><br></div>"
    ),
    "gmail-noblock": '<div dir="ltr">{answer}</div><br><div class="gmail_quote">{introduction}<br>{ours}</div>',
    "gmail-sig": (
        '<div dir="ltr">{answer}<div><br></div><span class="gmail_signature_prefix">-- </span><br>'
        '<div dir="ltr" class="gmail_signature" data-smartmail="gmail_signature">Bob<br>bus 94</div></div>'
        '<br><div class="gmail_quote">{introduction}<br><blockquote>{ours}</blockquote></div>'
    ),
    "outlook-word": (
        '<div class="WordSection1"><p class="MsoNormal">{answer}<o:p></o:p></p><p class="MsoNormal"><o:p>'
        "&nbsp;</o:p></p><div>"
        '<div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm">'
        '<p class="MsoNormal">{head}<o:p></o:p></p></div></div><p class="MsoNormal"><o:p>&nbsp;</o:p></p>'
        "{paragraphs}</div>"
    ),
    "outlook-original": (
        '<div class="WordSection1"><p class="MsoNormal">{answer}</p><p class="MsoNormal">'
        "-----Original Message-----<br>{head}</p>{paragraphs}</div>"
    ),
    "owa": (
        '<div id="divtagdefaultwrapper"><p>{answer}</p></div>'
        '<hr tabindex="-1" style="display:inline-block; width:98%"><div id="divRplyFwdMsg" dir="ltr">'
        '<font face="Calibri">{head}</font><div>&nbsp;</div></div><div>{ours}</div>'
    ),
    "owa-nolabel": (
        '<div id="divtagdefaultwrapper"><p>{answer}</p></div>'
        '<hr tabindex="-1" style="display:inline-block; width:98%"><div id="divRplyFwdMsg" dir="ltr">'
        '<font face="Calibri">Black Ticket</font></div><div>{ours}</div>'
    ),
    "owa-mail-editor": (
        '<div class="elementToProof">{answer}</div>'
        '<div id="mail-editor-reference-message-container" class="ms-outlook-mobile-reference-message '
        'skipProofing">'
        '<div class="ms-outlook-mobile-reference-message skipProofing" style="border-top:1pt solid"><b>'
        "Black Ticket</b></div>{ours}</div>"
    ),
    "outlook-ios": (
        '<div dir="auto">{answer}</div><div id="ms-outlook-mobile-signature"><div>'
        'Get <a href="https://aka.ms/o0ukef">Outlook for iOS</a></div></div>'
        '<div id="mail-editor-reference-message-container" dir="auto">'
        '<hr style="display:inline-block;width:98%"><div id="divRplyFwdMsg">{head}</div>{ours}</div>'
    ),
    "outlook-mac": (
        '<div>{answer}</div><div><br></div><span id="OLK_SRC_BODY_SECTION">'
        '<div style="BORDER-TOP: #b5c4df 1pt solid">{head}</div>{ours}</span>'
    ),
    "hotmail": (
        '<div dir="ltr">{answer}<br><div><hr id="stopSpelling">Date: Mon, 2 Nov 2026 18:22:10 +0100<br>'
        "From: red.g7.t9.q4m8k2x7wd@play.example.org<br>To: bob@example.net<br>Subject: x<br><br>{ours}</div>"
        "</div>"
    ),
    "hotmail-nolabel": '<div dir="ltr">{answer}<br><div><hr id="stopSpelling">{ours}</div></div>',
    "exchange-web": (
        '<div name="messageBodySection"><div dir="auto">{answer}</div></div>'
        '<div name="messageSignatureSection"><br><div class="matchFont">Bob<br>bus 94</div></div>'
        '<div name="messageReplySection">On 2 Nov 2026, 18:22 +0100, {sender}, wrote:<br>'
        '<blockquote type="cite">{ours}</blockquote></div>'
    ),
    "spark-noblock": '<div name="messageBodySection">{answer}</div><div name="messageReplySection">{ours}</div>',
    "apple": (
        '<html><body>{answer}<div><br><blockquote type="cite"><div>'
        'On 2 Nov 2026, at 18:22, {sender} wrote:</div><br class="Apple-interchange-newline"><div>'
        "{ours}</div></blockquote></div><br></body></html>"
    ),
    "iphone": (
        '<html><body dir="auto">{answer}<br><br><div dir="ltr" id="AppleMailSignature">'
        'Sent from my iPhone<br>bus 94</div><div dir="ltr"><br><blockquote type="cite">{introduction}<br><br>'
        '</blockquote></div><blockquote type="cite"><div dir="ltr">{ours}</div></blockquote></body></html>'
    ),
    "iphone-sig": (
        '<html><body dir="auto">{answer}<div><br id="lineBreakAtBeginningOfSignature"><div dir="ltr">'
        'Sent from my iPhone</div><div dir="ltr"><br><blockquote type="cite">{introduction}</blockquote>'
        '</div><blockquote type="cite">{ours}</blockquote></div></body></html>'
    ),
    "thunderbird": (
        '<p>{answer}</p><div class="moz-cite-prefix">On 11/2/2026 6:22 PM, Black Ticket wrote:<br></div>'
        '<blockquote type="cite" cite="mid:x@y"><pre class="moz-quote-pre" wrap="">{ours}</pre></blockquote>'
    ),
    "thunderbird-fwd": (
        '<p>{answer}</p><div class="moz-forward-container"><br>'
        '-------- Forwarded Message --------<table class="moz-email-headers-table"><tr><th>Subject: </th><td>'
        "x</td></tr></table><br>{ours}</div>"
    ),
    "thunderbird-sig": (
        '<p>{answer}</p><pre class="moz-signature" cols="72">-- \nbus 94</pre><div class="moz-cite-prefix">'
        'On 11/2/2026 6:22 PM, Black Ticket wrote:</div><blockquote type="cite">{ours}</blockquote>'
    ),
    "proton": (
        '<div style="font-family: Arial">{answer}</div><div class="protonmail_signature_block">'
        '<div class="protonmail_signature_block-user">bus 94</div>'
        '<div class="protonmail_signature_block-proton">Sent with <a>Proton Mail</a> secure email.</div>'
        '</div><div class="protonmail_quote">On Monday, November 2nd, 2026 at 6:22 PM, {sender} wrote:<br>'
        '<blockquote class="protonmail_quote" type="cite">{ours}</blockquote></div>'
    ),
    "proton-noblock": '<div>{answer}</div><div class="protonmail_quote">{introduction}<br>{ours}</div>',
    "zimbra": (
        '<div>{answer}</div><hr id="zwchr" data-marker="__DIVIDER__"><div data-marker="__HEADERS__">'
        '{head}</div><div data-marker="__QUOTED_TEXT__">{ours}</div>'
    ),
    "zimbra-nolabel": (
        '<div>{answer}</div><div data-marker="__SIG_PRE__">bus 94</div>'
        '<hr id="zwchr" data-marker="__DIVIDER__"><div data-marker="__QUOTED_TEXT__">{ours}</div>'
    ),
    "newton": '<div id="cm_body">{answer}</div><div class="cm_quote">{introduction}<br>{ours}</div>',
    "newton2": (
        '<div>{answer}</div><div id="cm_signature">bus 94</div><div id="cm_replymail_content_wrap">'
        '<div id="cm_replymail_content_1">{ours}</div></div>'
    ),
    "front": (
        '<div>{answer}</div><div class="front-signature">bus 94</div><div class="front-blockquote">'
        "{introduction}<br>{ours}</div>"
    ),
    "yahoo": (
        '<div class="ydp1 yahoo-style-wrap"><div dir="ltr" data-setdir="false">{answer}</div><div><br></div>'
        '</div><div id="ydp2yahoo_quoted_123" class="ydp2yahoo_quoted"><div>'
        "On Monday, November 2, 2026 at 06:22:10 PM GMT+1, {sender} wrote:</div><div>{ours}</div></div>"
    ),
    "yahoo-old": (
        '<div style="color:#000">{answer}<div class="qtdSeparateBR"><br><br></div>'
        '<div class="yahoo_quoted" style="display: block;"><div>{ours}</div></div></div>'
    ),
    "yahoo-classic": '<div>{answer}</div><hr size="1"><b>From:</b> x<br><b>To:</b> y<br>{ours}',
    "aol": (
        '<div>{answer}</div><div style="font-family:arial">-----Original Message-----<br>'
        "From: x &lt;red.g7.t9.q4m8k2x7wd@play.example.org&gt;<br>To: y<br>Sent: Mon, Nov 2, 2026 6:22 pm<br>"
        "<br>{ours}</div>"
    ),
    "gmx": (
        '<div style="font-family: Verdana"><div>{answer}</div><div>'
        '&nbsp;<div name="quote" style="margin:10px 5px 5px 10px; border-left:2px solid #C3D9E5;"><div><b>'
        "Gesendet:</b>&nbsp;Montag, 02. November 2026 um 18:22 Uhr<br><b>Von:</b>"
        '&nbsp;"Black Ticket" &lt;x@y.z&gt;<br><b>An:</b>&nbsp;bob<br><b>Betreff:</b>&nbsp;x</div>'
        '<div name="quoted-content">{ours}</div></div></div></div>'
    ),
    "gmx-nolabel": (
        '<div><div>{answer}</div><div name="quote" style="border-left:2px solid"><div name="quoted-content">'
        "{ours}</div></div></div>"
    ),
    "mailru": (
        "<div>{answer}</div><br>"
        '<blockquote style="border-left:1px solid #0857A6;margin:10px;padding:0 0 0 10px;">Понедельник<br>'
        "{ours}</blockquote>"
    ),
    "yandex": (
        '<div>{answer}</div><div>&nbsp;</div><div>02.11.2026, 18:22, "Black Ticket" &lt;x@y.z&gt;:</div>'
        "<blockquote>{ours}</blockquote>"
    ),
    "qq": (
        "<div>{answer}</div><div><includetail><!--<![endif]--></includetail></div>"
        '<div style="font-size: 12px">------------------&nbsp;原始邮件&nbsp;------------------</div><div>'
        "{ours}</div>"
    ),
    "163": (
        '<div>{answer}</div><div id="isReplyContent" style="PADDING-LEFT: 1ex; BORDER-LEFT: #ccc 1px solid">'
        "<pre>{ours}</pre></div>"
    ),
    "163-ntes": '<div>{answer}</div><div id="ntes-pcmail-quote" class="ntes-mailmaster-quote">{ours}</div>',
    "foxmail": (
        '<div>{answer}</div><blockquote style="margin-Top: 0px"><div>&nbsp;</div>'
        '<div style="border:none;border-top:solid #B5C4DF 1.0pt">{head}</div>{ours}</blockquote>'
    ),
    "superhuman": (
        '<div>{answer}</div><div class="sh-signature"><div class="gmail_signature">Sent via Superhuman</div>'
        '</div><div class="gmail_quote">On Mon, Nov 02, 2026 at 6:22 PM, Black &lt;<a>x@y.z</a>'
        '&gt; wrote:<br><blockquote class="gmail_quote sh-color-black">{ours}</blockquote></div>'
    ),
    "zoho": (
        '<div>{answer}</div><br><div class="zmail_extra"><br>---- On Mon, 02 Nov 2026 x wrote ----<br>'
        "<blockquote>{ours}</blockquote></div>"
    ),
    "zoho-hash": (
        '<div>{answer}</div><div class="zmail_extra_hr" style="border-top: 1px solid"></div>'
        '<div class="zmail_extra" data-zbluepencil-ignore="true">{ours}</div>'
    ),
    "roundcube": (
        '<p>{answer}</p><div id="signature">-- <br>bus 94</div><p id="reply-intro">'
        'On 2026-11-02 18:22, Black Ticket wrote:</p><blockquote type="cite">{ours}</blockquote>'
    ),
    "notes": (
        '<font face="sans-serif">{answer}</font><br><br><font color="#5f5f5f">From: </font><font>x</font><br>'
        "<font>To: </font>y<br><font>Date: </font>02.11.2026<br><font>Subject: </font>z<hr noshade><br>{ours}"
    ),
    "samsung": (
        '<div>{answer}</div><div><br></div><div id="composer_signature">Sent from my Galaxy</div><div>'
        "<!-- originalMessage --><div>-------- Original message --------</div><div>"
        "From: x &lt;a@b.c&gt;</div><div>Date: 02/11/2026</div></div>{ours}"
    ),
    "k9": (
        '<!DOCTYPE html><html><body><div dir="auto">{answer}</div><br><br><div class="k9mail-signature">'
        '-- <br>bus 94</div><div class="gmail_quote"><div dir="auto">'
        'Am 2. November 2026 18:22:10 MEZ schrieb {sender}:</div><blockquote class="gmail_quote">'
        "{ours}</blockquote></div></body></html>"
    ),
    "blackberry": (
        '<div id="BB10_response_div" dir="auto">{answer}</div><div id="_signaturePlaceholder">'
        'Sent from BlackBerry</div><table id="_pHCWrapper"><tr><td><div id="_persistentHeaderContainer">'
        '{head}</div></td></tr></table><div id="_originalContent">{ours}</div>'
    ),
    "blackberry2": '<div>{answer}</div><div id="_originalContent">{ours}</div>',
    "windows-mail": (
        '<div data-externalstyle="false">{answer}</div>'
        '<div style="padding-top: 5px; border-top-color: rgb(229,229,229); border-top-width: 1px; '
        'border-top-style: solid;"><div>{head}</div></div>{ours}'
    ),
    "tuta": (
        '<div>{answer}</div><div>2. Nov. 2026, 18:22 von x@y.z:</div><blockquote class="tutanota_quote">'
        "{ours}</blockquote>"
    ),
    "rainloop": (
        '<div>{answer}</div><div>November 2, 2026 6:22 PM, "x" &lt;a@b.c&gt; wrote:</div><blockquote>'
        "{ours}</blockquote>"
    ),
    "naver": (
        '<div>{answer}</div><p style="">-----Original Message-----<br><b>From:</b> x<br><b>Sent:</b> y<br>'
        "</p>{ours}"
    ),
    "horde": "<p>{answer}</p><p>Quoting {sender}:</p><blockquote>{ours}</blockquote>",
    "groupwise": "<div>{answer}</div><br>&gt;&gt;&gt; x &lt;a@b.c&gt; 11/2/2026 6:22 PM &gt;&gt;&gt;<br>{ours}",
    "gt-html": "<div>{answer}</div><div>{introduction}</div>{marked}",
    "airmail": (
        '<div id="bloop_customfont">{answer}</div><div id="bloop_sign_1" class="bloop_sign">bus 94</div>'
        '<p class="airmail_on">On 2 Nov 2026 at 18:22:10, x (a@b.c) wrote:</p>'
        '<blockquote type="cite" class="clean_bq">{ours}</blockquote>'
    ),
    "aqua": (
        '<div dir="auto">{answer}</div><div id="aqm-original" style="color: black;">'
        '<div class="aqm-original-body">{ours}</div></div>'
    ),
    "hidden": (
        '<div>{answer}</div><div style="display:none">taxi 58</div><span style="font-size:0px">bus 94</span>'
        '<p style="color:#fff;mso-hide:all">taxi 92</p><blockquote>{ours}</blockquote>'
    ),
}
# The answer stands below a quotation, or between two.
PAGES_BELOW = {
    "gmail": (
        '<div class="gmail_quote"><div class="gmail_attr">{introduction}</div>'
        "<blockquote>{ours}</blockquote><div>{answer}</div></div>"
    ),
    "thunderbird": (
        '<div class="moz-cite-prefix">{introduction}</div><blockquote type="cite">{ours}</blockquote><p>{answer}</p>'
    ),
    "apple": (
        '<div><blockquote type="cite">{ours}</blockquote><div><br></div><div>{answer}</div>'
        '<blockquote type="cite">{ours}</blockquote></div>'
    ),
    "proton": (
        '<div class="protonmail_quote">{introduction}<br><blockquote>{ours}</blockquote><br></div>'
        "<div>{answer}</div>"
    ),
    "roundcube": '<p id="reply-intro">{introduction}</p><blockquote type="cite">{ours}</blockquote><p>{answer}</p>',
}
# fmt: on
