"""Make the PDFs of the boards from their drawings, and the pictures of them that mails use; `make map` runs it.

The server's own code draws the page, and svglib and ReportLab turn it into a PDF, the same bytes each time.
"""

from io import BytesIO
from pathlib import Path

from reportlab import rl_config
from reportlab.graphics import renderPDF
from reportlab.lib.pagesizes import A4, landscape
from reportlab.pdfgen.canvas import Canvas
from svglib.svglib import register_font, svg2rlg

from server.drawing import look, map_pictures, printing
from server.drawing.look import FONT
from server.engine import Board
from server.vocabulary.resources import templates
from server.vocabulary.translation import languages, speaking

HERE = Path(__file__).parent


def draw(board: Board) -> bytes:
    """Return the PDF of a board, whose keywords name the drawing that it was made from."""
    for weight, file in (("normal", "DejaVuSansCondensed.ttf"), ("bold", "DejaVuSansCondensed-Bold.ttf")):
        register_font(FONT, str(templates() / "board" / file), weight=weight)
    register_font("Digits", str(templates() / "board" / "Digits.ttf"), weight="bold")
    drawn = printing.svg(board)
    page = svg2rlg(BytesIO(drawn.encode()))
    width, height = landscape(A4)
    page.scale(width / page.width, height / page.height)
    made = BytesIO()
    canvas = Canvas(made, pagesize=(width, height), invariant=1)
    canvas.setTitle(printing.title(board))
    canvas.setAuthor("Black Ticket")
    canvas.setKeywords(look.fingerprint(drawn))
    renderPDF.draw(page, canvas, 0, 0)
    canvas.save()
    return made.getvalue()


if __name__ == "__main__":
    rl_config.invariant = 1
    for board in map(Board.named, Board.names()):
        for language in languages():
            with speaking(language):
                (HERE / printing.pdf_name(board)).write_bytes(draw(board))
        for style in map_pictures.STYLES:
            (templates() / map_pictures.layer_path(board, style)).write_bytes(map_pictures.draw(board, style))
