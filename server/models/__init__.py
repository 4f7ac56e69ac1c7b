"""The SQL tables, and the one session that reads and writes them.

Without objects, rows are read and written by four verbs: `transaction` begins, `rows` reads, `execute` writes, and
`when_committed` does what follows.
"""

from server.models import actors, liveness, news
from server.models.base import (
    Base,
    connect,
    db,
    execute,
    forget_commits,
    give_back,
    has_committed,
    journal_mode,
    open_for_writing,
    require_unlocked,
    rows,
    session,
    shared_connection,
    table_of,
    transaction,
    try_write,
    under_way,
    when_ended,
)
from server.models.following import follows_commit, wake_inbox, wake_outbox, wake_webhooks, when_committed
from server.models.game import (
    Ballot,
    Deadline,
    Event,
    FormerHolder,
    Game,
    HeldMove,
    Motion,
    Move,
    QueuedMove,
    Seat,
)
from server.models.literals import (
    ARMED,
    ASIDE,
    DEAD,
    FIRED,
    HELD,
    NEW,
    OPEN,
    OVER,
    PENDING,
    PRIVATE,
    PUBLIC,
    RUNNING,
    plain,
    unfinished,
)
from server.models.mail import (
    Incoming,
    MailAnswer,
    Mailbox,
    MailWish,
    Message,
    Muted,
    Outgoing,
    ProviderCall,
    ReplyToken,
    Seen,
    Told,
)
from server.models.player import (
    CALENDAR,
    PLAYER_COLUMNS,
    SCOPES,
    Absence,
    Account,
    AccountId,
    Address,
    Answered,
    Block,
    BrowserSession,
    Invitation,
    Player,
    SignUp,
    StoredAnswer,
    Token,
    detached,
)
from server.models.startup import wait_for
from server.models.statements import add_to, at, at_most, delete_row, insert, insert_new, tally, update_row
from server.models.unavailable import CommitUnanswered, Unavailable
from server.models.upkeep import (
    AbuseReport,
    Alert,
    BlockedNetwork,
    KeyCheck,
    News,
    Outage,
    Process,
    Pulse,
    Quota,
    Tally,
)
from server.models.webhook import PushKey, Webhook, WebhookDelivery
