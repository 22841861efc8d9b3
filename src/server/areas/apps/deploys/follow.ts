import type { z } from 'zod'
import type { followDeploy } from '#contract/apps/deploys.ts'
import { toAnswer } from '#edge/route/stored.ts'
import type { Db } from '#lib/db/db.ts'
import { createWake } from '#lib/work/wake.ts'
import { findDeployLines, LOGS_CHANNEL } from '../logs/store.ts'
import { hasSettled } from './rules.ts'
import { DEPLOYS_CHANNEL, requireDeploy } from './store.ts'

type Progress = z.input<(typeof followDeploy)['event']>
type Followed = {
  readonly appId: string
  readonly deployId: string
  readonly lastId: string | undefined
  readonly signal: AbortSignal
}

const PAGE = 200
/** Covers lost notifications. */
const POLL_MS = 2_000

/** A position names the last state that was sent and the last line, so that a stream resumes after both. */
type Position = { readonly state: string; readonly line: number }

/** Yields states and lines of a deploy until it is live or has ended and all its lines were sent. */
export async function* followEvents(
  db: Pick<Db, 'query' | 'listen'>,
  { appId, deployId, lastId, signal }: Followed,
): AsyncGenerator<Progress> {
  const wake = createWake()
  signal.addEventListener('abort', wake.ring, { once: true })
  // The payload is empty after notifications may have been lost.
  const onNotify = (payload: string) => {
    if (payload === appId || payload === '') wake.ring()
  }
  await using _deploys = await db.listen(DEPLOYS_CHANNEL, onNotify)
  await using _lines = await db.listen(LOGS_CHANNEL, onNotify)
  let position = readPosition(lastId)
  while (!signal.aborted) {
    const deploy = await requireDeploy(db, appId, deployId)
    const lines = await findDeployLines(db, deployId, position.line, PAGE)
    for (const { id, at, text } of lines) {
      position = { ...position, line: id }
      yield { id: positionText(position), type: 'log', at: at.toISOString(), text }
    }
    // The state comes after the lines that led to it.
    if (lines.length === PAGE) continue
    const { state } = deploy
    if (state !== position.state) {
      position = { ...position, state }
      yield { id: positionText(position), type: 'state', state, deploy: toAnswer(deploy) }
    }
    if (hasSettled(state)) return
    await wake.next(POLL_MS)
  }
}

function positionText({ state, line }: Position): string {
  return `${state}.${line || ''}`
}

function readPosition(lastId: string | undefined): Position {
  const [state = '', line] = (lastId ?? '').split('.', 2)
  return { state, line: Number(line) || 0 }
}
