import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endsWithin } from '#lib/async/race.ts'
import { playRecordings, type Recording, sendBytes } from '#lib/net/play-recordings.ts'
import { acceptHead } from '#lib/net/web-socket/handshake.ts'
import { type DoorProcess, startDoorProcess } from '../door-process.ts'

/** The script and the key of WebSockets that a fresh door shares with the one that ended. */
export type DoorKind = { readonly script: string | undefined; readonly socketKey: string }

const PLAY_MS = 3_000
/** An error that an answer causes may come a moment after it. */
const AFTER_ANSWER_MS = 300
const UPLOAD_BYTES = 200_000
/** Answers that every door must survive. */
const harmless = (socketKey: string): readonly Recording[] => [
  { chunks: [Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')], hasEnded: true },
  { chunks: [Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n')], hasEnded: false },
  { chunks: [Buffer.from(`${acceptHead(new Headers(), socketKey)}\x01\x02ok`)], hasEnded: true },
]

/**
 * Finds whether recorded bytes of one app end the process that reads them. A fresh door gets them, alone, in answer to
 * requests that svc makes; the app itself gets no request, so that nothing a visitor asked for is done again. It must end
 * twice, and go on with harmless answers to the same requests: otherwise the cause is something else.
 */
export async function endsTheDoor(recordings: readonly Recording[], kind: DoorKind): Promise<boolean> {
  if (!(await endsOne(recordings, kind)) || !(await endsOne(recordings, kind))) return false
  return !(await endsOne(harmless(kind.socketKey), kind))
}

/** Nothing is closed before the door was judged, because a visitor can close a connection at any time as well. */
async function endsOne(recordings: readonly Recording[], kind: DoorKind): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-replay-'))
  await using player = await playRecordings(join(folder, 'app.sock'), recordings)
  let door: DoorProcess | undefined
  try {
    const opened = await openDoor(player.socket, kind)
    door = opened.door
    // In this order each recording answers each of the requests.
    for (const request of REQUESTS) for (const _ of recordings) sendBytes(opened.port, request)
    await endsWithin(PLAY_MS, Promise.any([player.played(recordings.length * REQUESTS.length), door.exited]))
    return await endsWithin(AFTER_ANSWER_MS, door.exited)
  } catch {
    // A door that does not even start proves nothing.
    return false
  } finally {
    door?.kill()
    await rm(folder, { recursive: true, force: true })
  }
}

async function openDoor(socket: string, { script, socketKey }: DoorKind): Promise<{ door: DoorProcess; port: number }> {
  const listening = Promise.withResolvers<number>()
  listening.promise.catch(() => {})
  const door = await startDoorProcess({
    script,
    onMessage: (message, from) => {
      if (message.is === 'listening') listening.resolve(message.port)
      if (message.is === 'not_listening') listening.reject(new Error(message.reason))
      if (message.is === 'asked') from.tell({ do: 'route', id: message.id, to: { type: 'app', address: { socket } } })
    },
    onExit: (description) => listening.reject(new Error(description)),
  })
  const hopSecret = randomBytes(32).toString('hex')
  const settings = { host: '127.0.0.1', port: 0, domain: 'localhost', isSecure: false, trustedProxies: [] }
  door.tell({ do: 'listen', ...settings, hopSecret, socketKey })
  try {
    return { door, port: await listening.promise }
  } catch (error) {
    door.kill()
    throw error
  }
}

const END = 'HTTP/1.1\r\nhost: app.localhost\r\nconnection: close'
const SOCKET = 'connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13'
const REQUESTS = [
  Buffer.from(`GET / ${END}\r\n\r\n`),
  Buffer.from(`GET / HTTP/1.1\r\nhost: app.localhost\r\n${SOCKET}\r\nsec-websocket-key: ${'A'.repeat(22)}==\r\n\r\n`),
  Buffer.from(`HEAD / ${END}\r\n\r\n`),
  Buffer.concat([Buffer.from(`POST / ${END}\r\ncontent-length: ${UPLOAD_BYTES}\r\n\r\n`), Buffer.alloc(UPLOAD_BYTES)]),
]
