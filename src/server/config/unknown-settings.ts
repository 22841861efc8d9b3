import { countEdits } from '#contract/core/suggest.ts'
import type { Environment } from './reader.ts'

/** A variable that looks like a setting of svc and is none. */
type UnknownSetting = { name: string; nearest: string | undefined }

const MAX_EDITS = 2

/** Variables of the client, which a person may have set in the shell that starts a server. */
const OF_THE_CLIENT = new Set(['SVC_API_URL', 'SVC_API_KEY', 'SVC_CONTEXT', 'SVC_CONFIG_DIR'])

/**
 * Names of the variables that Kubernetes adds to every pod for a Service called `svc-…`, such as
 * SVC_API_GATEWAY_SERVICE_HOST or SVC_API_GATEWAY_PORT_80_TCP_ADDR. Nobody chose them, so they are not reported.
 */
const SERVICE_LINK = /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?)?$/

/** Returns the `SVC_…` variables that are not settings, each with the setting whose name is most like it. */
export function findUnknownSettings(env: Environment, settings: Iterable<string>): UnknownSetting[] {
  const names = [...settings]
  const suspects = Object.keys(env).filter(
    (name) =>
      /^SVC_(?!TEST_)/.test(name) && !names.includes(name) && !OF_THE_CLIENT.has(name) && !SERVICE_LINK.test(name),
  )
  return suspects.map((name) => ({ name, nearest: nearestOf(name, names) }))
}

export function describeUnknown({ name, nearest }: UnknownSetting): string {
  return nearest === undefined
    ? `${name} is not a setting of the server and has no effect`
    : `${name} is not a setting of svc. Did you mean ${nearest}?`
}

/** The prefix itself may be what is wrong (SVC_PORT for PORT), so the name is compared without it too. */
function nearestOf(name: string, settings: readonly string[]): string | undefined {
  const bare = name.replace(/^SVC_/, '')
  const ranked = settings
    .map((setting) => ({ setting, edits: Math.min(countEdits(name, setting), countEdits(bare, setting)) }))
    .sort((a, b) => a.edits - b.edits)
  return ranked[0] && ranked[0].edits <= MAX_EDITS ? ranked[0].setting : undefined
}
