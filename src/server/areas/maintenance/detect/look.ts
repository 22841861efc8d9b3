import type { Client } from '#contract/core/client.ts'
import { listCheckStates, listLiveFiles, readLogTemplates } from '#contract/maintenance/tools.ts'
import { type Detected, detect } from './detectors.ts'

/** Reads the evidence of an app with the tools of its run, and applies the detectors to it. */
export async function lookForFaults(tools: Client, signal: AbortSignal): Promise<Detected[]> {
  const { clusters } = await tools.call(readLogTemplates, {}, { signal })
  const { files } = await tools.call(listLiveFiles, {}, { signal })
  const { checks } = await tools.call(listCheckStates, {}, { signal })
  return detect({
    clusters: clusters.map((cluster) => ({
      ...cluster,
      first_at: new Date(cluster.first_at),
      last_at: new Date(cluster.last_at),
    })),
    checks: checks.map((check) => ({ ...check, since: new Date(check.since) })),
    files: files.map(({ path }) => path),
  })
}
