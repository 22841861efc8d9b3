import { createHash } from 'node:crypto'
import { ServiceError } from '#contract/core/errors.ts'
import { IDEMPOTENCY_RETENTION_HOURS, MAX_IDEMPOTENCY_KEY_LENGTH } from '#contract/core/limits.ts'
import type { JsonOperation } from '#contract/core/operation.ts'
import type { Clock } from '#lib/clock.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { SealedColumn } from '#lib/crypto/sealed-columns.ts'
import { watchCommits } from '#lib/db/commit-watch.ts'
import type { Db } from '#lib/db/db.ts'
import type { Loop } from '#lib/work/loop.ts'
import { claimKey, dropKeysBefore, freeKey, type KeyOf, keepAnswer, readAnswer } from './idempotency-store.ts'
import { toServiceError } from './problem.ts'
import type { Context } from './route.ts'

type Deps = { db: Db; sealer: Sealer; clock: Clock }
type Run = (input: unknown, context: Context) => Promise<unknown>

/** A claim without an answer that is older than this belongs to a process that died. No request runs that long. */
const MAX_RUNNING_MS = 120_000

/** Answers repetitions of a request with the stored answer of the first. Runs the operation if there is no key. */
export function withIdempotency(op: JsonOperation, run: Run, deps: Deps): Run {
  if (op.access === 'public') throw new Error(`${op.name}: a public operation cannot tell its callers’ keys apart`)
  return async (input, context) => {
    const key = context.request.headers.get('idempotency-key')
    if (key === null) return run(input, context)
    if (key === '' || key.length > MAX_IDEMPOTENCY_KEY_LENGTH) {
      throw new ServiceError(
        'INVALID_REQUEST',
        `Idempotency-Key: must have 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} characters`,
      )
    }
    const of = { caller: callerOf(context), operation: op.name, key }
    const digest = createHash('sha256').update(JSON.stringify(input)).digest()
    const first = await claimKey(deps.db, of, digest, deps.clock.now())
    return first ? runFirst(op, of, () => run(input, context), deps) : replay(of, digest, deps)
  }
}

async function runFirst(op: JsonOperation, of: KeyOf, run: () => Promise<unknown>, deps: Deps): Promise<unknown> {
  const ran = await watchCommits(run)
  if ('error' in ran) {
    // After a commit began and the outcome is unknown, a repetition could make the change a second time.
    const isUnchanged = !ran.changed || toServiceError(ran.error).status < 500
    if (isUnchanged) await freeKey(deps.db, of).catch(() => undefined)
    throw ran.error
  }
  const body = deps.sealer.seal(JSON.stringify(ran.value), IDEMPOTENT_ANSWER.context(of))
  await keepAnswer(deps.db, of, { status: op.status ?? 200, body })
  return ran.value
}

/** Names the owner of a key. The same person in another organization is another caller. */
function callerOf({ principal }: Context): string {
  return principal === null ? 'operator' : `${principal.id}@${principal.org_id ?? ''}`
}

async function replay(of: KeyOf, digest: Buffer, { db, sealer, clock }: Deps): Promise<unknown> {
  const stored = await readAnswer(db, of)
  if (stored && !stored.requestDigest.equals(digest)) {
    throw new ServiceError(
      'IDEMPOTENCY_KEY_REUSED',
      'This Idempotency-Key was already used with a different request. Use a new key.',
    )
  }
  if (stored?.answer) return JSON.parse(sealer.open(stored.answer.body, IDEMPOTENT_ANSWER.context(of)))
  if (!stored || clock.now().getTime() - stored.createdAt.getTime() < MAX_RUNNING_MS) {
    throw new ServiceError(
      'IDEMPOTENCY_IN_PROGRESS',
      'The first request with this Idempotency-Key is still running. Try again in 1 second.',
      {
        retryAfterSeconds: 1,
      },
    )
  }
  throw new ServiceError(
    'OUTCOME_UNKNOWN',
    'The first request with this Idempotency-Key did not finish. Check whether it took effect, then use a new key.',
  )
}

export const IDEMPOTENT_ANSWER: SealedColumn<KeyOf> = {
  kind: 'answers kept for repeated requests',
  table: ['svc', 'idempotency'],
  column: 'body',
  primaryKey: ['caller', 'operation', 'key'],
  context: ({ caller, operation, key }) => `idempotency:${caller}:${operation}:${key}`,
}

/** Deletes stored answers after the retention time. */
export function idempotencyLoop({ db }: Pick<Deps, 'db'>): Loop {
  const hour = 60 * 60_000
  return {
    name: 'idempotency-cleanup',
    leader: true,
    tick: async (now) => {
      await dropKeysBefore(db, new Date(now.getTime() - IDEMPOTENCY_RETENTION_HOURS * hour))
      return new Date(now.getTime() + hour)
    },
  }
}
