/** The reason why an engine process ended, with the SQLSTATE and the message for its client. */
export class EngineStopped extends Error {
  override readonly name = 'EngineStopped'
  readonly sqlState: string

  constructor(sqlState: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.sqlState = sqlState
  }
}

export const stopped = {
  statementTimeout: (limitMs: number) =>
    new EngineStopped('57014', `the statement was stopped: it may run ${limitMs / 1000} seconds`),
  outOfMemory: (limitBytes: number) =>
    new EngineStopped('53200', `the engine was stopped: it may use ${mebibytes(limitBytes)} MiB of memory`),
  protocolViolation: (what: string) => new EngineStopped('58000', `the engine was stopped: it sent ${what}`),
  answerTooLarge: (limitBytes: number) =>
    new EngineStopped('54000', `the answer is too large: at most ${mebibytes(limitBytes)} MiB are returned`),
  rowTooLarge: (limitBytes: number) =>
    new EngineStopped('54000', `a row is too large: at most ${mebibytes(limitBytes)} MiB are returned in one row`),
  crashed: (how: string) => new EngineStopped('57P02', `the engine ended (${how}): connect again to go on`),
  leftOpen: () => new EngineStopped('58000', 'the engine was stopped: its answer ended in the middle of a message'),
  notStarted: (why: string) => new EngineStopped('57P03', `the engine could not be started: ${why}`),
  closed: () => new EngineStopped('57P01', 'the engine was stopped'),
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024)
}
