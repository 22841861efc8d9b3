import { IncomingMessage } from 'node:http'

export class Incoming extends IncomingMessage {
  /**
   * Node emits the data that it had buffered even after the stream was destroyed. `Readable.toWeb`, by which
   * `@hono/node-server` reads a body, throws then, and nobody could catch it: the process would end because a handler
   * stopped reading an upload.
   */
  override emit(event: string | symbol, ...values: unknown[]): boolean {
    if (event !== 'data' || !this.destroyed) return super.emit(event, ...values)
    try {
      return super.emit(event, ...values)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_INVALID_STATE') throw error
      return false
    }
  }
}
