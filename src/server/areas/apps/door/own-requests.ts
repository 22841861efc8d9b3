import { SocketFetchError } from '#lib/net/socket-fetch.ts'
import type { AnsweringDeploy } from './harm/suspects.ts'
import type { AppAddress, FromDoor, ToDoor } from './messages.ts'

/** Thrown if the door ended before the app had answered. */
export class DoorEnded extends Error {
  override readonly name = 'DoorEnded'
}

type Teller = { readonly tell: (message: Extract<ToDoor, { do: 'fetch' | 'cancel' }>) => void }

/** `recordedAs`: the deploy, if its bytes are to be recorded. */
type RequestTarget = {
  readonly address: AppAddress
  readonly deploy: AnsweringDeploy | undefined
  readonly recordedAs: string | undefined
}

type Waiting = {
  readonly deploy: AnsweringDeploy | undefined
  readonly head: PromiseWithResolvers<number>
  readonly body: PromiseWithResolvers<Uint8Array>
}

const WITHOUT_BODY = [204, 205, 304]

/** The requests of svc itself that one door is sending. Only a status and the start of a body come back. */
export class OwnRequests {
  readonly #waiting = new Map<number, Waiting>()
  #nextId: number

  /** `firstId`: the door may still answer requests with lower ids, which a former program sent. */
  constructor(firstId = 0) {
    this.#nextId = firstId
  }

  get nextId(): number {
    return this.#nextId
  }

  /** Rejects with a SocketFetchError, with DoorEnded, or with the reason of the request's signal. */
  async send(door: Teller, { deploy, ...to }: RequestTarget, request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    const id = this.#nextId++
    const path = pathname + search
    const waiting = { deploy, head: Promise.withResolvers<number>(), body: Promise.withResolvers<Uint8Array>() }
    waiting.body.promise.catch(() => {})
    this.#waiting.set(id, waiting)
    const forget = () => {
      if (this.#waiting.delete(id)) door.tell({ do: 'cancel', id })
    }
    const onAbort = () => {
      fail(waiting, request.signal.reason)
      forget()
    }
    request.signal.addEventListener('abort', onAbort, { once: true })
    if (request.signal.aborted) onAbort()
    else door.tell({ do: 'fetch', id, ...to, path, headers: [...request.headers] })
    const status = await waiting.head.promise
    if (!WITHOUT_BODY.includes(status)) return new Response(bodyOf(waiting, forget), { status })
    forget()
    return new Response(null, { status })
  }

  receive(message: Extract<FromDoor, { is: 'answered' | 'body' | 'unanswered' }>): void {
    const waiting = this.#waiting.get(message.id)
    if (!waiting) return
    if (message.is === 'answered') {
      waiting.head.resolve(message.status)
      return
    }
    this.#waiting.delete(message.id)
    if (message.is === 'unanswered') fail(waiting, new SocketFetchError('no answer', message.sent, undefined))
    else if (message.broken) waiting.body.reject(new Error('the app broke the connection'))
    else waiting.body.resolve(Buffer.from(message.bytes, 'base64'))
  }

  /** Ends all of them, because the door has ended. Returns the deploys that were asked. */
  end(): AnsweringDeploy[] {
    const all = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const waiting of all) fail(waiting, new DoorEnded('the door ended'))
    return all.flatMap(({ deploy }) => deploy ?? [])
  }
}

function fail({ head, body }: Waiting, reason: unknown): void {
  head.reject(reason)
  body.reject(reason)
}

function bodyOf({ body }: Waiting, onCancel: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      pull: async (controller) => {
        const bytes = await body.promise
        if (bytes.length > 0) controller.enqueue(bytes)
        controller.close()
      },
      cancel: onCancel,
    },
    { highWaterMark: 0 },
  )
}
