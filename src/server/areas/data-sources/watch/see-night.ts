import type { VectorFindingKind } from '#contract/data-sources/vectors.ts'
import { addNight, type Seen } from './checks.ts'
import type { Comparison } from './compare-rows.ts'
import type { ComparedRow } from './find-recipe.ts'
import { judgeNorms } from './norms.ts'
import type { Look } from './statements.ts'
import type { WatchedEntry } from './stored-entry.ts'
import { findStrangers } from './strangers.ts'

type Night = {
  readonly look: Look
  readonly grown: Seen | undefined
  readonly rows: readonly ComparedRow[]
  readonly comparison: Comparison
}
type Sights = Partial<Record<VectorFindingKind, Seen | { readonly notChecked: string }>>

/** Adds a night to those before. */
export function seeNight({ before, now }: { before: WatchedEntry; now: Date }, night: Night): WatchedEntry {
  const { comparison } = night
  const sights: Sights = {
    ...sightsOfLook(night.look),
    ...sightsOfRows(night),
    ...(night.grown && { grown: night.grown }),
  }
  const checks = { ...before.checks }
  if (!night.grown) delete checks.grown
  const not_checked: WatchedEntry['not_checked'] = []
  for (const [kind, sight] of Object.entries(sights) as [VectorFindingKind, NonNullable<Sights['stale']>][]) {
    if ('notChecked' in sight) not_checked.push({ kind, reason: sight.notChecked })
    else checks[kind] = addNight(kind, checks[kind], now, sight)
  }
  const isSought = 'notChecked' in comparison && comparison.isSought
  return {
    ...before,
    looked_at: now.toISOString(),
    is_possible: true,
    reason: null,
    recipe: 'recipe' in comparison ? comparison.recipe : isSought ? null : before.recipe,
    recipe_sought_at: isSought ? now.toISOString() : before.recipe_sought_at,
    checks,
    not_checked,
  }
}

function sightsOfLook(look: Look): Sights {
  const { rows, filled, missing, dimensions, zero, constant, duplicate } = look
  const mixture = judgeNorms(look)
  return {
    missing: { seen: missing, of: rows },
    dimensions: { seen: dimensions, of: filled },
    zero: { seen: zero, of: filled },
    constant: { seen: constant, of: filled },
    duplicate: { seen: duplicate, of: filled },
    norms: { seen: mixture?.rows ?? 0, of: filled, ...(mixture && { fewer: mixture.fewer }) },
  }
}

const NOT_TOLD_APART =
  'these rows have too little in common, or are too few, to tell vectors of another model by themselves'

/**
 * Where texts were compared, a row that fits is no stranger, and a stranger that does not fit is of another model. Where
 * they were not, strangers alone decide.
 */
function sightsOfRows({ rows, comparison }: Night): Sights {
  const found = findStrangers(rows.map(({ vector }) => vector))
  const strangers = new Set(rows.filter((_, i) => found?.strangers[i]).map(({ row }) => row))
  if ('notChecked' in comparison) {
    const models = found
      ? { seen: strangers.size, of: rows.length, common: { same_subject: found.same_subject, limit: found.limit } }
      : { notChecked: NOT_TOLD_APART }
    return { models, stale: { notChecked: comparison.notChecked } }
  }
  const { misfits, rows: of } = comparison
  const [foreign, stale] = [misfits.filter((row) => strangers.has(row)), misfits.filter((row) => !strangers.has(row))]
  const models = { seen: foreign.length, of, rows: foreign }
  return { models, stale: { seen: stale.length, of, rows: stale } }
}
