import type { Client } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { EXAMPLE_SEARCH } from '#contract/data-sources/example-search.ts'
import {
  type DataSource,
  exposeSource,
  listSlimSources,
  type MinRole,
  type SlimSource,
  switchSource,
} from '#contract/data-sources/sources.ts'
import { clientCommand } from '../../call/client-command.ts'
import { callCommand, listCommand } from '../../call/operation-command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { toJson } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'

const NONE_YET = `There are no data sources that you may ask yet.
An admin of your organization can expose one to your role, or give you the role it needs.`

export const list = listCommand(listSlimSources, {
  label: 'Listing data sources',
  header: ['ID', 'NAME', 'MIN ROLE', 'FILTERS', 'DESCRIPTION'],
  cut: ['DESCRIPTION', 'NAME'],
  row: toRow,
  none: NONE_YET,
})

type EnableFlags = { description?: string }

export const enable = clientCommand(async (client, [database], { description }: EnableFlags, cli) => {
  const source = await switchDatabase(client, database, { enabled: true, ...(description && { description }) })
  const { name, source_id, connection_config, exposed } = source
  const isConfigured = connection_config !== null
  const next = isConfigured
    ? `Let agents ask it: ${cli.config.program} datasource expose ${source_id} --min-role viewer`
    : `Configure its search next. ${await searchTemplate(client, cli, source_id)}`
  const notes = isConfigured && exposed ? [] : [next]
  return { document: source, text: `${name} is a data source now: ${source_id}.`, notes }
})

export const disable = clientCommand(async (client, [database]) => {
  const source = await switchDatabase(client, database, { enabled: false })
  return { document: source, text: `${source.source_id} is switched off. Nobody can ask it.` }
})

export const expose = callCommand(exposeSource, {
  input: ([id], { minRole }: { minRole?: MinRole }) => ({
    id,
    exposed: true,
    ...(minRole !== undefined && { min_role: minRole }),
  }),
  text: ({ source_id, min_role }) => `${source_id} can be asked by the role ${min_role} and above.`,
  notes: ({ connection_config, source_id }, _, cli) =>
    connection_config === null ? [`Its search is not configured yet. ${searchHint(cli, source_id)}`] : [],
})

export const unexpose = callCommand(exposeSource, {
  input: ([id]) => ({ id, exposed: false }),
  text: ({ source_id }) => `${source_id} is not exposed any more.`,
})

function toRow({ id, name, min_role, filters, description }: SlimSource): string[] {
  const columns = Object.entries(filters).map(([column, type]) => `${column}:${type}`)
  return [id, name, min_role, columns.join(', ') || '-', description]
}

/** Returns a hint how to configure the search of a source. */
function searchHint({ config: { program } }: Cli, id: string): string {
  return [
    `Propose one of your tables: ${program} datasource suggest ${id} > search.json`,
    `Then run: ${program} api PUT /api/wf/data-sources/${id} --data @search.json`,
  ].join('\n')
}

/** Returns the file to save, of the person's own tables, and the command that reads it. */
async function searchTemplate(client: Client, cli: Cli, id: string): Promise<string> {
  const { file, questions, title } = await readTemplate(client, id)
  return [
    ...questions.map((question) => `\n# ${printable(question)}`),
    questions.length > 0 ? `\n${title}` : title,
    `\n${toJson(file)}`,
    `\nThen run: ${cli.config.program} api PUT /api/wf/data-sources/${id} --data @search.json`,
  ].join('')
}

/** Falls back to an example if the database cannot be reached from this machine or has no vectors yet. */
async function readTemplate(client: Client, id: string) {
  const { suggestFor } = await import('./suggest/suggest.ts')
  const own = await suggestFor(client, id).catch(() => undefined)
  if (own !== undefined && own.configuration.connection_config.embedding_configs.length > 0) {
    return { file: own.configuration, questions: own.questions, title: 'Save this as search.json:' }
  }
  const file = { connection_config: EXAMPLE_SEARCH }
  return { file, questions: [], title: 'Save this as search.json, with your table, columns and model:' }
}

type Switch = { enabled: boolean; description?: string }

const ID_PREFIX = 'db_'

/** Switches a database on or off as a data source. Takes the name of the database, or the id of the source. */
async function switchDatabase(client: Client, nameOrId: string, change: Switch): Promise<DataSource> {
  try {
    return await client.call(switchSource, { name: nameOrId, ...change })
  } catch (error) {
    const isMissing = error instanceof ServiceError && error.code === 'NOT_FOUND'
    if (!isMissing || !nameOrId.startsWith(ID_PREFIX)) throw error
    return await client.call(switchSource, { name: nameOrId.slice(ID_PREFIX.length), ...change })
  }
}
