"""The routes of the pages of a game: path, endpoint, view and methods."""

from server.web.game import board, moves, news, page, preview, replay, seat, seats, talk, votes

ROUTES = (
    ("/games/<game_id>", "game", page.show, ("GET",)),
    ("/games/<game_id>/board.svg", "board", board.as_picture, ("GET",)),
    ("/games/<game_id>/preview.png", "preview", preview.picture, ("GET",)),
    ("/games/<game_id>/replay", "replay", replay.show, ("GET",)),
    ("/games/<game_id>/replay.svg", "replay_svg", replay.svg, ("GET",)),
    ("/games/<game_id>/replay.png", "replay_png", replay.png, ("GET",)),
    ("/games/<game_id>/record.txt", "record", replay.text, ("GET",)),
    ("/games/<game_id>/transcript.json", "transcript", replay.transcript, ("GET",)),
    ("/games/<game_id>/moves", "move", moves.move, ("POST",)),
    ("/games/<game_id>/moves/double", "begin_double", moves.begin_double, ("POST",)),
    ("/games/<game_id>/ahead", "take_back", moves.take_back, ("POST",)),
    ("/games/<game_id>/seats", "join", seats.join, ("GET", "POST")),
    ("/join", "enter_code_of_game", seats.enter_code, ("POST",)),
    ("/games/<game_id>/seats/<int:seat>", "invite", seats.invite, ("POST",)),
    ("/games/<game_id>/seats/<int:seat>/clear", "clear", seats.clear, ("POST",)),
    ("/games/<game_id>/leave", "leave", seats.leave, ("POST",)),
    ("/games/<game_id>/publish", "publish", seats.publish, ("POST",)),
    ("/games/<game_id>/host", "hand_over", seats.hand_over, ("POST",)),
    ("/games/<game_id>/start", "start", seats.start, ("POST",)),
    ("/games/<game_id>/news", "news", news.news, ("GET",)),
    ("/games/<game_id>/talk", "say", talk.say, ("POST",)),
    ("/games/<game_id>/talk/muted", "mute", talk.mute, ("POST",)),
    ("/games/<game_id>/votes", "propose", votes.propose, ("POST",)),
    ("/games/<game_id>/votes/<vote_id>", "vote", votes.answer, ("POST",)),
    ("/games/<game_id>/draw", "agree_on_draw", votes.agree_on_draw, ("POST",)),
    ("/games/<game_id>/cover", "cover", seat.cover, ("POST",)),
    ("/games/<game_id>/resign", "resign", seat.resign, ("GET", "POST")),
    ("/games/<game_id>/rematch", "rematch", seat.rematch, ("POST",)),
)
