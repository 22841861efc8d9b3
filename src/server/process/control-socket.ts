import { join } from 'node:path'
import { askLocal, serveLocal } from '#lib/net/local-socket.ts'

/** Work that a command asks of the server on an embedded database, whose files only one process can open. */
export type ControlRequest =
  /** Stops and starts again, while apps go on. */
  | { readonly do: 'restart' }
  | { readonly do: 'copy-platform'; readonly to: string }
  | { readonly do: 'copy-database'; readonly physicalName: string; readonly to: string }

/**
 * The socket lies in the data folder, which its owner alone can enter: whoever can connect could read every file there
 * anyway.
 */
function socketOf(dataDir: string): string {
  return join(dataDir, 'control.sock')
}

export function serveControl(dataDir: string, handle: (request: ControlRequest) => Promise<void>) {
  return serveLocal(socketOf(dataDir), (request) => handle(request as ControlRequest))
}

/** Asks the server that runs on the data folder. Returns false if none does. Throws with the reason if it refuses. */
export function askServer(dataDir: string, request: ControlRequest): Promise<boolean> {
  return askLocal(socketOf(dataDir), request)
}
