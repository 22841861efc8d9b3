import { existsSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '#contract/core/client.ts'
import { newId } from '#edge/ids.ts'
import { authKeys, chooseFirstAccount, type FirstAccount, makeFirstAccount } from '../../areas/auth/index.ts'
import { createExample, EXAMPLE_SOURCE } from '../../areas/example/index.ts'
import type { Resources } from '../../compose/parts.ts'
import { assets } from '../../files/assets.ts'
import type { Running } from '../start.ts'
import { writePrivate } from './embedded-secrets.ts'

export type FirstRun = FirstAccount & { base_url: string; operator_token: string }

/**
 * On the first embedded start makes an organization with an owner and an API key, and writes them to the data folder.
 * The file is written before the rows, so that a start killed in between ends with one account and the right key.
 */
export async function firstRun(
  { config, db, clock }: Resources,
  baseUrl: string,
): Promise<{ first: boolean; file: string }> {
  const file = join(config.dataDir, 'first-run.json')
  const { jwtSecret, jwtSigningKey, operatorToken } = config.secrets
  if (!jwtSecret || !jwtSigningKey || !operatorToken) return { first: false, file }
  if (existsSync(file)) {
    const stored = read(file)
    const current = { ...stored, base_url: baseUrl, operator_token: operatorToken }
    if (JSON.stringify(current) !== JSON.stringify(stored)) writePrivate(file, current)
    return { first: false, file }
  }
  const pending = `${file}.pending`
  if (!existsSync(pending)) {
    writePrivate(pending, { base_url: baseUrl, operator_token: operatorToken, ...chooseFirstAccount() })
  }
  await makeFirstAccount({ db, clock, keys: authKeys(jwtSecret, jwtSigningKey) }, read(pending))
  renameSync(pending, file)
  return { first: true, file }
}

export type PendingExample = { make(signal: AbortSignal): Promise<void> }

/**
 * Returns the example data source if this data folder is still to get it. After a killed start the next one continues.
 * From now on until it is made, a question to it is told so.
 */
export function pendingExample(resources: Resources, running: Running): PendingExample | undefined {
  const pending = makeOnce(resources, running, 'example-made')
  if (!pending) return undefined
  const key = `${pending.account.org_id} ${EXAMPLE_SOURCE}` as const
  resources.unfinishedSources.add(key)
  const make = (signal: AbortSignal) => pending.make(signal, (example) => example.make(assets.exampleHandbook()))
  return { make: (signal) => make(signal).finally(() => resources.unfinishedSources.delete(key)) }
}

/** Makes the example app once per data folder, where this installation runs apps. */
export async function exampleAppOnce(resources: Resources, running: Running, signal: AbortSignal): Promise<void> {
  if (resources.config.apps.deploysOff !== undefined) return
  const pending = makeOnce(resources, running, 'example-app-made')
  await pending?.make(signal, (example) => example.makeApp(assets.exampleApp()))
}

/** Returns undefined if the data folder has the marker already, or is not to get an example. */
function makeOnce({ config }: Resources, running: Running, marker: string) {
  const markerFile = join(config.dataDir, marker)
  const file = join(config.dataDir, 'first-run.json')
  if (!config.example || existsSync(markerFile) || !existsSync(file)) return undefined
  const account = read(file)
  const make = async (signal: AbortSignal, work: (example: ReturnType<typeof createExample>) => Promise<void>) => {
    const { fetch, ended } = stoppable(running, signal)
    const clientOf = (token: string) =>
      createClient({ baseUrl: running.url, fetch, headers: () => ({ authorization: `Bearer ${token}` }) })
    try {
      await work(createExample({ clientOf, account, stopping: signal }))
    } finally {
      await ended()
    }
    writePrivate(markerFile, { made: true })
  }
  return { account, make }
}

/**
 * Returns a fetch into the process that begins no request once the signal is aborted. Reads that are under way, such as a
 * stream that follows a deploy, are then given up; writes end by themselves, so that nothing is left half done. `ended`
 * waits for them, because a stop closes next what they use.
 */
function stoppable(running: Pick<Running, 'fetch'>, signal: AbortSignal) {
  const info = { clientAddress: '127.0.0.1', requestId: newId('req'), via: 'api', direct: true } as const
  const answers = new Set<Promise<Response>>()
  const fetch = async (request: Request): Promise<Response> => {
    signal.throwIfAborted()
    const isRead = request.method === 'GET'
    const answer = running.fetch(isRead ? new Request(request, { signal }) : request, info)
    answers.add(answer)
    return answer.finally(() => answers.delete(answer))
  }
  return { fetch, ended: async () => void (await Promise.allSettled(answers)) }
}

function read(file: string): FirstRun {
  return JSON.parse(readFileSync(file, 'utf8')) as FirstRun
}
