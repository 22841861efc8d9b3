import type { DefinitionOf } from '#contract/checks/definition.ts'
import type { Redactor } from '#lib/redact/redact.ts'
import type { AppAnswer, AppLogs, AppProbe } from '#ports/apps.ts'
import type { CheckedApp, Restarting } from './outcome.ts'
import { readStart } from './read-start.ts'

/** Evidence about an app for a model, without secrets and addresses of people. Nothing in it is trusted. */
export type Evidence = {
  readonly log: {
    readonly since: string
    readonly until: string
    readonly lines: readonly { readonly at: string; readonly level: string; readonly text: string }[]
  }
  /** The answer at the path of the check, if it has one. */
  readonly answer: { readonly status: number; readonly body: string } | { readonly fault: string } | null
  /** False if lines or a part of the answer are left out, because they are too many or too long. */
  readonly isComplete: boolean
}

export type EvidenceDeps = {
  readonly logs: Pick<AppLogs, 'read'>
  readonly probe: Pick<AppProbe, 'get'>
}

const MAX_LOG_BYTES = 32 * 1024
const MAX_BODY_BYTES = 8 * 1024
const ANSWER_LIMIT_MS = 10_000

/** Returns `no_address` if the check names a path and svc knows no address of the app, `restarting` if svc restarts it. */
export async function collectEvidence(
  { logs, probe, redactor }: EvidenceDeps & { readonly redactor: Redactor },
  app: CheckedApp,
  { window_minutes, level, path }: DefinitionOf<'agent'>,
  now: Date,
  signal: AbortSignal,
): Promise<Evidence | 'no_address' | Restarting> {
  const since = new Date(now.getTime() - window_minutes * 60_000)
  const answered = path === null ? undefined : await ask({ probe, redactor }, app, path, signal)
  if (typeof answered === 'string') return answered
  const { lines, isComplete } = await logs.read(app.id, { since, until: now, words: [], level }, MAX_LOG_BYTES)
  const texts = await redactor.entries(lines.map(({ text }) => text))
  return {
    log: {
      since: since.toISOString(),
      until: now.toISOString(),
      lines: lines.map(({ at, level: ofLine }, index) => ({
        at: at.toISOString(),
        level: ofLine,
        text: texts[index]!,
      })),
    },
    answer: answered?.answer ?? null,
    isComplete: isComplete && !answered?.isCut,
  }
}

type PageEvidence = { readonly answer: Evidence['answer']; readonly isCut: boolean }

async function ask(
  { probe, redactor }: Pick<EvidenceDeps, 'probe'> & { readonly redactor: Redactor },
  app: CheckedApp,
  path: string,
  signal: AbortSignal,
): Promise<PageEvidence | 'no_address' | Restarting> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_LIMIT_MS)])
  try {
    const answer = await probe.get(app, path, limit)
    if (answer.type === 'no_address' || answer.type === 'restarting') return answer.type
    return await shown(redactor, answer, limit)
  } catch (error) {
    signal.throwIfAborted()
    if (limit.aborted) return fault('The app did not answer within 10 seconds.')
    throw error
  }
}

async function shown(
  redactor: Redactor,
  answer: Exclude<AppAnswer, { type: 'no_address' | 'restarting' }>,
  signal: AbortSignal,
): Promise<PageEvidence> {
  if (answer.type === 'not_running') return fault('The app is not running.')
  if (answer.type === 'no_answer') return fault('The app did not answer the request.')
  // Read further than it is shown, because a part of a secret cannot be recognised.
  const start = await readStart(answer.response, 2 * MAX_BODY_BYTES, signal)
  if (!start) return fault('The app broke the connection.')
  const isCut = start.isCut || Buffer.byteLength(start.text) > MAX_BODY_BYTES
  const body = (await redactor.text(start.text)).slice(0, MAX_BODY_BYTES).toWellFormed()
  return { answer: { status: answer.response.status, body }, isCut }
}

function fault(text: string): PageEvidence {
  return { answer: { fault: text }, isCut: false }
}
