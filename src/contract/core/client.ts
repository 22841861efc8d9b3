import { type Call, callWith, createSender, type SenderDeps } from './client-send.ts'
import { type Stream, streamWith, type Wait } from './client-stream.ts'
import { type Upload, uploadWith } from './client-upload.ts'

export type Client = {
  readonly call: Call
  /**
   * Yields events as they come. A resumable operation is continued by itself when the connection breaks or the server
   * restarts; the `id` of the last event is what a later call passes as `last_id`.
   */
  readonly stream: Stream
  /** Sends the body piece by piece. A refusal is thrown as soon as the server answers, also before the body's end. */
  readonly upload: Upload
}

/**
 * Creates the typed client that the CLI, the console and the services use. `fetch` calls over the network, or directly
 * into a service of the same process.
 */
export function createClient({ wait, ...deps }: SenderDeps & { wait?: Wait }): Client {
  const sender = createSender(deps)
  return { call: callWith(sender), stream: streamWith(sender, wait), upload: uploadWith(sender) }
}
