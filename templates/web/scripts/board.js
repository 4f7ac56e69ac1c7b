// Chooses a station by a click on the board, where the page of a game shows one.
