import { hash } from 'node:crypto'
import type { z } from 'zod'
import type { Client } from '#contract/core/client.ts'
import { listCheckStates, listLiveFiles, readLogTemplates, readSignals } from '#contract/maintenance/tools.ts'
import { type Detected, detect } from './detectors.ts'
import { fingerprintOf } from './fingerprint.ts'

/** The evidence read of an app, and what the detectors found in it. */
export type Look = {
  readonly logs: z.output<typeof readLogTemplates.output>
  readonly source: z.output<typeof listLiveFiles.output>
  readonly checks: z.output<typeof listCheckStates.output>
  readonly detected: readonly Detected[]
}

/** Reads the evidence of an app with the tools of its run, and applies the detectors to it. */
export async function lookForFaults(tools: Client, signal: AbortSignal): Promise<Look> {
  const logs = await tools.call(readLogTemplates, {}, { signal })
  const source = await tools.call(listLiveFiles, {}, { signal })
  const checks = await tools.call(listCheckStates, {}, { signal })
  const history = await tools.call(readSignals, {}, { signal })
  const files = source.files.map(({ path }) => path)
  const live = source.revision_id
  const detected = detect({ clusters: logs.clusters, checks: checks.checks, files, history, live })
  return { logs, source, checks, detected }
}

/**
 * Returns the digest of what a look depends on: the templates of errors, the states of checks, the revision, what the
 * detectors found, and the model. Equal digests mean that another look would see the same. Times and counts are left out,
 * because they differ every night.
 */
export function digestOf({ logs, source, checks, detected }: Look, model: string): string {
  const errors = logs.clusters
    .filter(({ level, former_revision_id }) => level === 'error' && former_revision_id === undefined)
    .map(({ template }) => template)
  const states = checks.checks.map(({ name, state }) => `${name} ${state}`)
  const found = detected.map(fingerprintOf).toSorted()
  return hash('sha256', JSON.stringify([model, source.revision_id, errors.toSorted(), states.toSorted(), found]))
}
