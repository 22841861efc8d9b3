import type { z } from 'zod'
import type { followDeploy } from '#contract/apps/deploys.ts'
import { notFound } from '#contract/core/errors.ts'
import type { Db } from '#lib/db/db.ts'
import { createWake } from '#lib/work/wake.ts'
import { presentDeploy } from './present.ts'
import { hasSettled } from './rules.ts'
import { DEPLOYS_CHANNEL, type DeployRow, findDeploy } from './store.ts'

type Progress = z.input<(typeof followDeploy)['event']>
type DeployLine = { readonly id: string; readonly at: Date; readonly text: string }

/** The lines of a deploy, oldest first, as the area's logs keep them. */
export type DeployLogs = {
  /** Lines of the build, and what svc itself said of the deploy, after the line with that id. */
  readonly after: (deployId: string, lastId: string | undefined, limit: number) => Promise<readonly DeployLine[]>
  /** Notified with the id of the app when lines were written. */
  readonly channel: string
}

type Deps = { readonly db: Pick<Db, 'query' | 'listen'>; readonly logs: DeployLogs }
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
type Position = { readonly state: string; readonly line: string | undefined }

/** Yields states and lines of a deploy until it is live or has ended and all its lines were sent. */
export async function* followEvents(
  deps: Deps,
  { appId, deployId, lastId, signal }: Followed,
): AsyncGenerator<Progress> {
  const wake = createWake()
  signal.addEventListener('abort', wake.ring, { once: true })
  // The payload is empty after notifications may have been lost.
  const onNotify = (payload: string) => {
    if (payload === appId || payload === '') wake.ring()
  }
  await using _deploys = await deps.db.listen(DEPLOYS_CHANNEL, onNotify)
  await using _lines = await deps.db.listen(deps.logs.channel, onNotify)
  let position = readPosition(lastId)
  while (!signal.aborted) {
    const deploy = await findDeploy(deps.db, appId, deployId)
    if (!deploy) throw notFound('deploy')
    const lines = await deps.logs.after(deployId, position.line, PAGE)
    for (const { id, at, text } of lines) {
      position = { ...position, line: id }
      yield { id: positionText(position), type: 'log', at: at.toISOString(), text }
    }
    // The state comes after the lines that led to it.
    if (lines.length === PAGE) continue
    if (deploy.state !== position.state) {
      position = { ...position, state: deploy.state }
      yield stateEvent(deploy, position)
    }
    if (hasSettled(deploy.state)) return
    await wake.next(POLL_MS)
  }
}

function stateEvent(deploy: DeployRow, position: Position): Progress {
  return { id: positionText(position), type: 'state', state: deploy.state, deploy: presentDeploy(deploy) }
}

function positionText({ state, line }: Position): string {
  return `${state}.${line ?? ''}`
}

function readPosition(lastId: string | undefined): Position {
  const [state = '', line = ''] = (lastId ?? '').split('.', 2)
  return { state, line: line === '' ? undefined : line }
}
