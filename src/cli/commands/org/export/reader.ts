import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import type { Client } from '#contract/core/client.ts'
import { fromProblem, type Problem, ServiceError } from '#contract/core/errors.ts'
import type { JsonOperation } from '#contract/core/operation.ts'
import { callRaw } from '../../../call/api.ts'
import { isPaged } from '../../../call/client.ts'
import { paced } from '../../../call/paced.ts'
import type { Cli } from '../../../command/command.ts'
import type { Login } from '../../../login/contexts.ts'

export type Item = Readonly<Record<string, unknown>>
type Input = Record<string, unknown>

const PAGE_SIZE = 100
const MAX_TRIES = 4
const NOT_THERE = ['NOT_FOUND', 'MAINTENANCE_AGENT_NOT_FOUND']

/** Reads with the login of the owner, and waits when the server asks for it. */
export function createReader(client: Client, login: Login, cli: Pick<Cli, 'note' | 'config' | 'isForProgram'>) {
  const call = <I extends z.ZodObject, O extends z.ZodType>(op: JsonOperation<I, O>, input: z.input<I>) =>
    patiently(() => client.call(op, input))
  return {
    client,
    call,
    /** Returns null if the organization has no such thing. */
    async callOptional(op: JsonOperation, input: Input): Promise<unknown> {
      return call(op, input).catch((error: unknown) => {
        if (error instanceof ServiceError && NOT_THERE.includes(error.code)) return null
        throw error
      })
    },
    /** Yields all items of a list, one page at a time. */
    async *items(op: JsonOperation, input: Input): AsyncGenerator<Item> {
      if (!isPaged<Item>(op)) throw new Error(`${op.name} has no pages`)
      let cursor: string | null = null
      do {
        const sent = { ...input, limit: PAGE_SIZE, cursor: cursor ?? undefined }
        const page: { items: Item[]; next_cursor: string | null } = await call(op, sent)
        yield* page.items
        cursor = page.next_cursor
      } while (cursor !== null)
    },
    /** Opens an answer that is not JSON. */
    async download(path: string, type: string): Promise<ReadableStream<Uint8Array>> {
      const response = await patiently(async () => {
        const answer = await callRaw(login, { method: 'GET', path, headers: [['accept', type]] }, cli)
        if (!answer.ok) throw await toError(answer)
        return answer
      })
      return response.body ?? new Blob([]).stream()
    },
  }
}
export type Reader = ReturnType<typeof createReader>

/** Repeats a call that was refused because of a limit, and a few times one that the server could not answer. */
async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await paced(call, () => undefined)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'UNAVAILABLE' || tries === MAX_TRIES) throw error
      await sleep((error.retryAfterSeconds ?? tries) * 1000)
    }
  }
}

async function toError(response: Response): Promise<ServiceError> {
  const problem = await (response.json() as Promise<Partial<Problem>>).catch(() => ({}))
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  return fromProblem(problem, response.status, Number.isFinite(retryAfter) ? retryAfter : undefined)
}
