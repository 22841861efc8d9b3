/** Ends a look before it has a result: `reason` decides when it is tried again. */
export class LookStopped extends Error {
  override readonly name = 'LookStopped'
  readonly reason: 'busy' | 'stopped' | 'aborted'

  constructor(reason: LookStopped['reason']) {
    super(`looking at vectors ended: ${reason}`)
    this.reason = reason
  }
}
