-- Times are Unix milliseconds. JSON is text. Rows of journal are only ever added.

CREATE TABLE agents (
    id          TEXT   NOT NULL PRIMARY KEY,
    name        TEXT   NOT NULL,
    kind        TEXT   NOT NULL,
    revision    BIGINT NOT NULL,
    etag        TEXT   NOT NULL,
    definition  TEXT   NOT NULL,
    warnings    TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL,
    archived    BIGINT NOT NULL DEFAULT 0,
    archived_at BIGINT
);

CREATE INDEX agents_listed ON agents (archived, created_at, id);

CREATE TABLE revisions (
    agent_id   TEXT   NOT NULL,
    revision   BIGINT NOT NULL,
    definition TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (agent_id, revision)
);

-- A run's mutable part: small, because every append rewrites it. no is its number, in the order of making; rows of other
-- tables name a run by it. projection is the fold of its journal; status, state, started_at and ended_at repeat what is
-- in it, for the indexes.
CREATE TABLE runs (
    no              INTEGER NOT NULL PRIMARY KEY,
    id              TEXT    NOT NULL UNIQUE,
    agent_id        TEXT    NOT NULL,
    agent_revision  BIGINT  NOT NULL,
    kind            TEXT    NOT NULL,
    harness         TEXT    NOT NULL,
    model           TEXT    NOT NULL,
    effort          TEXT    NOT NULL,
    place           TEXT    NOT NULL,
    source          TEXT    NOT NULL,
    session         TEXT    NOT NULL,
    labels          TEXT    NOT NULL,
    status          TEXT    NOT NULL,
    state           TEXT    NOT NULL,
    archived        BIGINT  NOT NULL DEFAULT 0,
    created_at      BIGINT  NOT NULL,
    queued_at       BIGINT  NOT NULL,
    started_at      BIGINT,
    ended_at        BIGINT,
    archived_at     BIGINT,
    head            BIGINT  NOT NULL,
    projection      TEXT    NOT NULL,
    epoch           BIGINT  NOT NULL DEFAULT 0,
    token           BIGINT  NOT NULL DEFAULT 0,
    holder          TEXT,
    holder_worker   TEXT,
    strikes         BIGINT  NOT NULL DEFAULT 0,
    strike_progress BIGINT  NOT NULL DEFAULT 0
);

-- Each index ends in no, as every index of a table with an integer key does.
CREATE INDEX runs_listed ON runs (archived, status, created_at);

CREATE INDEX runs_of_agent ON runs (agent_id, archived, status, created_at);

CREATE INDEX runs_unfinished ON runs (queued_at) WHERE state IN ('queued', 'running', 'sleeping');

CREATE INDEX runs_held ON runs (holder_worker) WHERE holder_worker IS NOT NULL;

-- A run's part that never changes. config is the digest of a blob, which runs of one revision share.
CREATE TABLE specs (
    run_no INTEGER NOT NULL PRIMARY KEY,
    input  TEXT    NOT NULL,
    config TEXT    NOT NULL
);

-- pos is run_no * 16777216 + seq: the rows of a run lie together, in order, and need no second index to be found.
CREATE TABLE journal (
    pos     INTEGER NOT NULL PRIMARY KEY,
    run_no  BIGINT  NOT NULL,
    at      BIGINT  NOT NULL,
    type    TEXT    NOT NULL,
    key     TEXT    NOT NULL,
    body    TEXT    NOT NULL,
    private TEXT
);

CREATE UNIQUE INDEX journal_keys ON journal (run_no, key);

-- For people who look into the database.
CREATE VIEW journal_rows AS
SELECT runs.id AS run_id, journal.pos % 16777216 AS seq, journal.at, journal.type, journal.key, journal.body
FROM journal JOIN runs ON runs.no = journal.run_no;

-- What a list filters by is repeated beside each label, so that a list by label reads one range of one index.
CREATE TABLE labels (
    run_no     BIGINT NOT NULL,
    name       TEXT   NOT NULL,
    value      TEXT   NOT NULL,
    agent_id   TEXT   NOT NULL,
    archived   BIGINT NOT NULL,
    status     TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (run_no, name)
) WITHOUT ROWID;

CREATE INDEX labels_listed ON labels (name, value, archived, status, created_at, run_no);

CREATE INDEX labels_of_agent ON labels (name, value, agent_id, archived, status, created_at, run_no);

CREATE TABLE idempotency (
    scope      TEXT   NOT NULL,
    key        TEXT   NOT NULL,
    digest     TEXT   NOT NULL,
    answer     TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (scope, key)
);

CREATE TABLE blobs (
    digest TEXT   NOT NULL PRIMARY KEY,
    size   BIGINT NOT NULL,
    data   BLOB   NOT NULL
);
