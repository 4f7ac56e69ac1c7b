"""Acts of the operator: on players, on games under way, on what is sealed; and the mails that call for them."""
