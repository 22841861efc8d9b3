import type { z } from 'zod'
import type { UNKNOWN_RELEVANCE_REASONS } from '#contract/data-sources/relevance.ts'
import { getSource } from '#contract/data-sources/search-config.ts'
import type { SourceVectors } from '#contract/data-sources/vectors.ts'
import { callCommand } from '../../call/operation-command.ts'

export const { run } = callCommand(getSource, {
  input: ([id]) => ({ id }),
  text: textOf,
  notes: ({ warnings }) => warnings.map((warning) => `Warning: ${warning}`),
})

/** Returns what can be asked of the source, by whom and how. Use -o json for the whole configuration. */
export function textOf(source: z.output<typeof getSource.output>): string[] {
  const { source_id, description, enabled, exposed, min_role, connection_config, filter_schema, plan, vectors } = source
  const filters = Object.entries(filter_schema).map(([column, type]) => `${column}:${type}`)
  const { embedding_configs, person_settings } = connection_config
  const methods = new Map(
    plan.map(({ label, method, index }) => [label, index === null ? method : `${method} ${index}`]),
  )
  return [
    description === '' ? source_id : `${source_id}: ${description}`,
    `Asked by: ${enabled && exposed ? `the role ${min_role} and above` : 'nobody, because it is not exposed'}`,
    `Rows by person: ${person_settings ? settingsText(person_settings) : 'no, everyone who may ask finds the same rows'}`,
    `Filters: ${filters.join(', ') || 'none'}`,
    ...embedding_configs.flatMap(({ label, table, content_columns }) => [
      `Searches ${label}: ${table} (${content_columns}), ${methods.get(label) ?? 'not searched'}`,
      ...relevanceLines(plan.find((each) => each.label === label)?.relevance ?? null),
    ]),
    ...vectors.flatMap(vectorLines),
  ]
}

type Relevance = z.output<typeof getSource.output>['plan'][number]['relevance']

const REASONS: Record<(typeof UNKNOWN_RELEVANCE_REASONS)[number], string> = {
  not_measured: 'not measured yet: this happens a minute or two after a question, while nobody uses the database',
  too_few: 'there are too few rows with different text',
  not_separable: 'the scores of questions that rows answer are those of other questions too',
  too_large: 'the table is too large to be measured in time',
  rows_by_person: 'each person sees other rows',
  row_text_stays_here: 'it needs the text of rows, which does not go to providers outside',
}

/** Prints nothing where measuring is switched off. */
function relevanceLines(relevance: Relevance): string[] {
  if (!relevance) return []
  const { outcome, reason, low, high, error_rate, questions } = relevance
  if (outcome === 'unknown') return [`  Relevance: unknown, ${reason ? REASONS[reason] : 'for no known reason'}`]
  const [no, yes] = [low, high].map((score) => score?.toFixed(3))
  const percent = Math.round((error_rate ?? 0) * 100)
  return [
    `  Relevance: a best score below ${no} is no, from ${yes} on yes (${questions} questions; ${percent} % of answerable ones may be called no)`,
  ]
}

function vectorLines({ label, state, looked_at, reason, findings, not_checked }: SourceVectors): string[] {
  const texts = {
    not_looked_at: 'not looked at yet, the first look is at night',
    clean: `clean as of ${looked_at}`,
    findings: `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'} as of ${looked_at}`,
    not_possible: 'not looked at',
  } as const
  return [
    `Vectors of ${label}: ${texts[state]}${reason === null ? '' : `, because ${reason}`}`,
    ...findings.flatMap(({ kind, rows_seen, rows_looked_at, explanation, advice, sql }) => [
      `  ${kind}: ${rows_seen} of ${rows_looked_at} rows that were looked at. ${explanation} ${advice}`,
      ...sql.split('\n').map((line) => `    ${line}`),
    ]),
    ...not_checked.map(({ kind, reason: why }) => `  ${kind} not checked: ${why}`),
  ]
}

function settingsText(settings: Readonly<Record<string, string>>): string {
  const all = Object.entries(settings).map(([name, claim]) => `${name} is the ${claim}`)
  return `${all.join(', ')} of the person who asks`
}
