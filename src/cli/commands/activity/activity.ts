import { type ActivityRecord, listActivity } from '#contract/activity.ts'
import { listMembers, me } from '#contract/auth/members.ts'
import type { Client } from '#contract/core/client.ts'
import { collect, openClient } from '../../call/client.ts'
import { poll } from '../../call/poll.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { showList } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import { newRecords } from './new-records.ts'
import { activityTable, cellsOf } from './table.ts'

type Type = 'functions' | 'data_sources'
type Flags = OutputFlags & LoginFlags & { type?: Type; source?: string; watch?: boolean; limit?: number }

const WATCH_LIMIT = 10
const WATCH_PAGE = 100

export async function run(_: [], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const type = flags.type ?? (flags.source === undefined ? 'functions' : 'data_sources')
  const input = { type, ...(flags.source !== undefined && { source_id: flags.source }) }
  const emails = flags.output === 'table' ? await readEmails(client) : new Map<string, string>()
  if (flags.watch) return await watch(client, input, flags, emails, cli)
  const list = await cli.progress('Listing calls', collect(client, listActivity, input, flags.limit))
  const table = activityTable(type === 'functions' ? 'FUNCTION' : 'DATA SOURCE', emails)
  showList(cli, flags.output, list, {
    ...table,
    row: (call) => table.row(call, cli),
    none:
      type === 'functions'
        ? `No function has been called yet. Questions to data sources: ${cli.config.program} activity --type data_sources`
        : 'No data source has been asked yet.',
  })
}

/** Prints the newest calls and then each further one, as text or as one JSON object a line, until Ctrl-C. */
async function watch(client: Client, input: object, flags: Flags, emails: ReadonlyMap<string, string>, cli: Cli) {
  const print = (call: ActivityRecord) => {
    if (flags.output !== 'table') cli.print(JSON.stringify(call))
    else cli.print([call.asked_at, ...cellsOf(call, emails)].map(printable).join('  '))
  }
  const read = async (limit: number) => (await collect(client, listActivity, { ...input }, limit)).items
  const first = await read(flags.limit ?? WATCH_LIMIT)
  for (const call of first.toReversed()) print(call)
  let shown: ReadonlySet<string> = new Set(first.map(({ id }) => id))
  let underWay: ReadonlySet<string> = new Set()
  for await (const page of poll(() => read(WATCH_PAGE))) {
    const { ready, waiting } = newRecords(page, shown, underWay)
    for (const call of ready) print(call)
    shown = new Set([...shown, ...ready.map(({ id }) => id)])
    underWay = waiting
  }
}

const MAX_MEMBERS = 1_000

/** Email addresses by user id: of all members for owners and admins, who see the calls of all, else only the own one. */
async function readEmails(client: Client): Promise<ReadonlyMap<string, string>> {
  const { user, org, role } = await client.call(me, {})
  if (org !== null && (role === 'owner' || role === 'admin')) {
    const { items } = await collect(client, listMembers, { org_id: org.id }, MAX_MEMBERS)
    return new Map(items.map(({ user_id, email }) => [user_id, email]))
  }
  return new Map(user ? [[user.id, user.email]] : [])
}
