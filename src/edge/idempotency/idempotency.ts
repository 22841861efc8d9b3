import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { ServiceError } from '#contract/core/errors.ts'
import { IDEMPOTENCY_RETENTION_HOURS, MAX_IDEMPOTENCY_KEY_LENGTH } from '#contract/core/limits.ts'
import type { JsonOperation } from '#contract/core/operation.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { SealedColumn } from '#lib/crypto/sealed-columns.ts'
import { watchChanges } from '#lib/db/change-watch.ts'
import type { Db, Querier } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { Loop } from '#lib/work/loop.ts'
import { toServiceError } from '../format/problem.ts'
import type { Context } from '../route/route.ts'
import {
  type Claim,
  claimKey,
  dropKeysBefore,
  endKey,
  type KeyOf,
  keepAnswer,
  markChanged,
  readAnswer,
  takeOverKey,
} from './idempotency-store.ts'

type Deps = { db: Db; sealer: Sealer; clock: Clock }
type Run = (input: unknown, context: Context) => Promise<unknown>

/**
 * A claim without an answer that is older than this belongs to a process that died. No request runs that long. The death
 * of most processes is seen at once (`holderIsDead`); this is for those on a machine that lost its network.
 */
const MAX_RUNNING_MS = 120_000
const STORE_AGAIN_MS = 500

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
    const claim = await claimKey(deps.db, of, digest, deps.clock.now())
    const first = (claimed: Claim) => runFirst(op, claimed, () => run(input, context), deps)
    return claim ? first(claim) : replay(of, digest, first, deps)
  }
}

async function runFirst(op: JsonOperation, claim: Claim, run: () => Promise<unknown>, deps: Deps): Promise<unknown> {
  const { db, sealer } = deps
  const mark = async (on: Querier) => {
    if (!(await markChanged(on, claim))) throw inProgress()
  }
  const ran = await watchChanges({ instance: db.instance, mark }, run)
  if ('error' in ran) {
    // A refusal says that nothing was changed, also where a transaction that only read was committed.
    const change = toServiceError(ran.error).status < 500 ? 'nothing' : ran.change
    await store(() => endKey(db, claim, change)).catch(() => undefined)
    throw ran.error
  }
  const body = sealer.seal(JSON.stringify(ran.value), IDEMPOTENT_ANSWER.context(claim))
  await store(() => keepAnswer(db, claim, { status: op.status ?? 200, body }))
  return ran.value
}

/**
 * Writes the outcome of a first request. If the database is away, the caller gets the error at once, and the outcome is
 * written when it is back, because repetitions wait for it.
 */
async function store(write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    void storeLater(write)
    throw error
  }
}

async function storeLater(write: () => Promise<void>): Promise<void> {
  for (let waited = 0; waited < MAX_RUNNING_MS; waited += STORE_AGAIN_MS) {
    await setTimeout(STORE_AGAIN_MS, undefined, { ref: false })
    const isStored = await write().then(
      () => true,
      () => false,
    )
    if (isStored) return
  }
}

/** Names the owner of a key. The same person in another organization is another caller. */
function callerOf({ principal }: Context): string {
  return principal === null ? 'operator' : `${principal.id}@${principal.org_id ?? ''}`
}

async function replay(
  of: KeyOf,
  digest: Buffer,
  first: (claim: Claim) => Promise<unknown>,
  { db, sealer, clock }: Deps,
): Promise<unknown> {
  const stored = await readAnswer(db, of)
  if (stored && !stored.requestDigest.equals(digest)) {
    throw new ServiceError(
      'IDEMPOTENCY_KEY_REUSED',
      'This Idempotency-Key was already used with a different request. Use a new key.',
    )
  }
  if (stored?.answer) return JSON.parse(sealer.open(stored.answer.body, IDEMPOTENT_ANSWER.context(of)))
  const claim = await takeOverKey(db, of, clock.now())
  if (claim) return first(claim)
  const isOver = stored && (stored.isOver || clock.now().getTime() - stored.createdAt.getTime() >= MAX_RUNNING_MS)
  if (!isOver) throw inProgress()
  throw new ServiceError(
    'OUTCOME_UNKNOWN',
    'The first request with this Idempotency-Key did not finish. Check whether it took effect, then use a new key.',
  )
}

function inProgress(): ServiceError {
  return new ServiceError(
    'IDEMPOTENCY_IN_PROGRESS',
    'The first request with this Idempotency-Key is still running. Try again in 1 second.',
    { retryAfterSeconds: 1 },
  )
}

export const IDEMPOTENT_ANSWER: SealedColumn<KeyOf> = {
  kind: 'answers kept for repeated requests',
  table: ['svc', 'idempotency'],
  column: 'body',
  primaryKey: ['caller', 'operation', 'key'],
  context: ({ caller, operation, key }) => `idempotency:${caller}:${operation}:${key}`,
}

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
