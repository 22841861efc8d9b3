import pg from 'pg'
import type { Sql } from '../sql.ts'

/** The columns of a statement and how their values are parsed. */
type Columns = { fields: pg.FieldDef[]; _parsers: unknown; _prebuiltEmptyResultObject: unknown }
type Result = pg.QueryResult & Columns

/** The parts of node-postgres that its types leave out. */
type Connection = pg.Connection & {
  readonly parsedStatements: Readonly<Record<string, string>>
  _send(bytes: Buffer): void
  [SENDER]?: Sender
}
type Callback = (error: Error | null, result: Result) => void
type Query = pg.Submittable & {
  readonly _result: Result
  _accumulateRows: boolean
  /** Sends all messages of an execution. */
  prepare(connection: pg.Connection): void
  handleRowDescription(message: object): void
}

const SENDER = Symbol('sender')

/**
 * Runs a named statement on a connection to a server of Postgres. After its first execution on that connection the server
 * is not asked for its columns again, because they stay the same for as long as the statement is prepared, and all
 * messages are sent by one write.
 */
export async function queryPrepared<Row>(client: pg.PoolClient, statement: Sql): Promise<Row[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  client.query(new PreparedQuery(statement, (error, result) => (error ? reject(error) : resolve(result))))
  try {
    return (await promise).rows as Row[]
  } catch (error) {
    // The stack of the driver's error begins where the socket is read. This one begins where the statement was run.
    if (error instanceof Error) Error.captureStackTrace(error)
    throw error
  }
}

const DriverQuery = pg.Query as unknown as new (text: string, values: readonly unknown[], callback: Callback) => Query

class PreparedQuery extends DriverQuery {
  readonly name: string
  /** Where to remember the columns, if the server is asked for them. */
  #columns: Map<string, Columns> | undefined

  constructor({ name, text, values }: Sql, callback: Callback) {
    super(text, values, callback)
    this.name = name
  }

  override prepare(connection: Connection): void {
    const sender = senderOf(connection)
    const isParsed = connection.parsedStatements[this.name] !== undefined
    const cachedColumns = isParsed ? sender.columns.get(this.name) : undefined
    if (cachedColumns) {
      Object.assign(this._result, cachedColumns)
      this._accumulateRows = true
    } else this.#columns = sender.columns
    sender.send((joining) => super.prepare(joining), cachedColumns === undefined)
  }

  override handleRowDescription(message: object): void {
    super.handleRowDescription(message)
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result
    this.#columns?.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject })
  }
}

function senderOf(connection: Connection): Sender {
  connection[SENDER] ??= new Sender(connection)
  return connection[SENDER]
}

/** Joins the messages of one execution on a connection, and knows the columns of the statements prepared on it. */
class Sender {
  readonly columns = new Map<string, Columns>()
  readonly #connection: Connection
  /** The connection to the driver, except that messages are collected and a description can be left out. */
  readonly #joining: Connection
  #messages: Buffer[] = []
  #asksColumns = true

  constructor(connection: Connection) {
    this.#connection = connection
    this.#joining = Object.assign(Object.create(connection) as Connection, {
      _send: (bytes: Buffer) => void this.#messages.push(bytes),
      describe: (message: pg.MessageConfig) => {
        if (this.#asksColumns) pg.Connection.prototype.describe.call(this.#joining, message, false)
      },
    })
  }

  send(prepare: (joining: Connection) => void, asksColumns: boolean): void {
    this.#messages = []
    this.#asksColumns = asksColumns
    prepare(this.#joining)
    this.#connection._send(Buffer.concat(this.#messages))
  }
}
