"""The settings of the server, from the environment and the settings file."""

from server.settings.kinds import OPERATORS, Listen, Mailbox, Network, Rate, Relay, SettingError, is_loopback
from server.settings.settings import (
    PREFIX,
    READERS,
    SECRETS,
    SETTINGS_FILE,
    Settings,
    check_operator,
    environment,
    parse_setting,
)
