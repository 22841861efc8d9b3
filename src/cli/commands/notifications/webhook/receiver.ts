import { randomBytes } from 'node:crypto'
import type { Notification } from '#contract/notifications/inbox.ts'
import type { OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { Unsuccessful } from '../../../terminal/exit.ts'
import { toJsonLine } from '../../../terminal/output.ts'
import { printable } from '../../../terminal/printable.ts'
import { listen } from './listen.ts'
import { readSigningUrl } from './signing-url.ts'
import { readStandardKey } from './standard-key.ts'
import { type Arrived, judge, type SigningKey, VERDICTS, type Verdict } from './verify.ts'

type Flags = OutputFlags & { port?: number; signingUrl?: string; secret?: string; count?: number }

const MAX_REMEMBERED_IDS = 10_000
const SECRET_BYTES = 18

export async function run(_: [], flags: Flags, cli: Cli): Promise<void> {
  const standardKey = await readStandardKey(flags, cli)
  const ownUrl = await readSigningUrl(flags.signingUrl, cli)
  const path = `/in/${randomBytes(SECRET_BYTES).toString('base64url')}`
  const verdicts: Verdict[] = []
  const { promise: enough, resolve: end } = Promise.withResolvers<void>()
  const seen = new Set<string>()
  const receiver = await listen(flags.port ?? 0, (arrived) => {
    const { verdict, notifications } = look(arrived, standardKey ? { standardKey } : { url: ownUrl ?? url }, seen)
    print(verdict, notifications, flags, cli)
    if (flags.count !== undefined && verdicts.push(verdict) >= flags.count) end()
    return verdict
  })
  const url = `http://127.0.0.1:${receiver.port}${path}`
  announce(url, { isOwnUrl: ownUrl !== undefined, isStandard: standardKey !== undefined }, flags, cli)
  await enough
  await receiver.close()
  if (verdicts.some((verdict) => verdict !== 'right')) throw new Unsuccessful()
}

type Seen = { verdict: Verdict; notifications: readonly Notification[] }

/** Judges what arrived and remembers the ids of what is right, the newest ones only. */
function look(arrived: Arrived | 'too_large' | 'wrong_method', key: SigningKey, seen: Set<string>): Seen {
  if (typeof arrived === 'string') return { verdict: arrived, notifications: [] }
  const { verdict, notifications } = judge(arrived, key, new Date())
  const isRepeated = notifications.some(({ id }) => seen.has(id))
  for (const { id } of notifications) seen.add(id)
  for (const id of [...seen].slice(0, Math.max(0, seen.size - MAX_REMEMBERED_IDS))) seen.delete(id)
  return { verdict: isRepeated ? 'repeated' : verdict, notifications }
}

type Checked = { isOwnUrl: boolean; isStandard: boolean }

function announce(url: string, checked: Checked, flags: Flags, cli: Cli): void {
  cli.print(flags.output === 'table' ? `Listening on ${url}` : toJsonLine({ type: 'listening', url }))
  cli.note(noteAbout(url, checked, cli))
}

function noteAbout(url: string, { isOwnUrl, isStandard }: Checked, cli: Cli): string {
  if (isStandard) return 'The headers of Standard Webhooks are checked, with the secret that you gave.'
  if (isOwnUrl) return 'Signatures are checked with the URL that you gave, not with this address.'
  return `Send a sample from another terminal: ${cli.config.program} notifications webhook-sample ${url}`
}

function print(verdict: Verdict, notifications: readonly Notification[], flags: Flags, cli: Cli): void {
  const lines = notifications.map(({ id, event_type, subject }) => `  ${printable(`${id}  ${event_type}  ${subject}`)}`)
  const shown = [VERDICTS[verdict].text, ...lines]
  cli.print(flags.output === 'table' ? shown : toJsonLine({ type: 'request', verdict, notifications }))
}
