import { FINDING_KINDS, type SIGNAL_KINDS } from '#contract/maintenance/finding-kinds.ts'
import type { LogCluster } from './cluster.ts'
import { formerRevisionOf } from './former-revision.ts'
import { type CitedText, type History, NO_HISTORY } from './history.ts'

type Cluster = Pick<LogCluster, 'template' | 'level' | 'count' | 'frames' | 'former_revision_id'>
type CheckState = { readonly name: string; readonly state: string }

/** The input of the detectors: the same evidence as a model sees, and the history of the app. */
type Evidence = {
  readonly clusters: readonly Cluster[]
  readonly checks: readonly CheckState[]
  /** Paths of the files of the live revision. */
  readonly files: readonly string[]
  readonly history?: History
  /** The live revision, if one is. */
  readonly live?: string | null
}

/** A fault of the app, as `kind`, `path`, `symbol` and `template` identify it. */
export type Detected = {
  readonly kind: (typeof FINDING_KINDS)[number]
  readonly path: string | null
  readonly symbol: string | null
  readonly template: string
  readonly summary: string
  /** Lines of the log, or runs of a check, that show it. */
  readonly lines?: readonly CitedText[]
  /** Other log templates that this fault explains. */
  readonly covers?: readonly string[]
}

/** A finding of a model. `identity` is what its fingerprint is made of; no word of the model is part of it. */
export type JudgedFinding = Detected & { readonly identity: Omit<Detected, 'summary'> }

/** An error without a stack trace counts from this number on: single ones happen in healthy apps. */
const MIN_REPEATS = 3
const MAX_DETECTED = 20

/**
 * Finds faults by fixed rules, the gravest first. The same evidence always gives the same findings. Errors and signals
 * with lines that only revisions wrote that are not live are left out: the app as it runs now did not make them.
 */
export function detect({ clusters, checks, files, history = NO_HISTORY, live = null }: Evidence): Detected[] {
  const errors = clusters.filter(({ level }) => level === 'error')
  const former = new Set(errors.filter(isOfFormer).map(({ template }) => template))
  const found = errors.filter((error) => !isOfFormer(error)).flatMap((error) => fromCluster(error, files))
  const signals = history.signals
    .filter(({ covers }) => covers.length === 0 || covers.some((one) => !former.has(one)))
    .filter(({ lines }) => formerRevisionOf(lines, live) === null)
  const explained = explain(found, { ...history, signals })
  return [...checks.flatMap(fromCheck), ...explained]
    .sort((a, b) => FINDING_KINDS.indexOf(a.kind) - FINDING_KINDS.indexOf(b.kind))
    .slice(0, MAX_DETECTED)
}

function isOfFormer({ former_revision_id }: Cluster): boolean {
  return former_revision_id !== undefined
}

type SignalKind = (typeof SIGNAL_KINDS)[number]

/**
 * Joins the errors with the signals of the history, so that one fault is one finding. A signal takes the place of the
 * errors it explains. Errors after a deploy are the other way round: an error that has a finding names the deploy, and
 * the signal is left for errors without one. A timeout is not the fault of the code that waited. Errors in the background of a busy app are left out.
 */
function explain(errors: readonly Detected[], { signals, background, samples }: History): Detected[] {
  const linesOf = new Map(samples.map(({ template, lines }) => [template, lines]))
  const rise = signals.find(({ kind }) => kind === 'errors_after_deploy')
  const risen = new Set(rise?.covers)
  const others = signals.filter((signal) => signal !== rise)
  const covered = new Set(others.flatMap(({ covers }) => covers))
  const timeouts = others.filter(({ kind }) => kind === 'dependency_timeout')
  const timedOut = new Set(timeouts.flatMap(({ covers }) => covers))
  const quiet = new Set(background)
  const reported = errors.filter(({ kind, template }) => {
    if (kind === 'error_in_code') return !timedOut.has(template)
    return !covered.has(template) && (risen.has(template) || !quiet.has(template))
  })
  const isNamed = reported.some(({ template }) => risen.has(template))
  return [
    ...[...others, ...(rise && !isNamed ? [rise] : [])].map(toDetected),
    ...reported.map((one) => ({
      ...one,
      ...(rise && risen.has(one.template) && { summary: `${one.summary}. ${rise.summary}` }),
      lines: linesOf.get(one.template) ?? [],
    })),
  ]
}

function toDetected({ kind, template, summary, lines, covers }: History['signals'][number] & { kind: SignalKind }) {
  // Its identity names a revision, so no finding of a model may take it.
  const explained = kind === 'errors_after_deploy' ? [] : covers
  return { kind, path: null, symbol: null, template, summary, lines, covers: explained }
}

function fromCheck({ name, state }: CheckState): Detected[] {
  if (state !== 'fail') return []
  const template = `check ${name}`
  return [{ kind: 'failing_check', path: null, symbol: null, template, summary: `The check ${name} fails.` }]
}

function fromCluster({ template, count, frames }: Cluster, files: readonly string[]): Detected[] {
  const times = count === 1 ? 'once' : `${count} times`
  const place = frames.flatMap(({ path, symbol }) => placeIn(files, path, symbol))[0]
  if (isDependency(template)) {
    if (count < MIN_REPEATS) return []
    const summary = `Something that the app depends on did not answer, ${times}: ${template}`
    return [{ kind: 'dependency', path: null, symbol: null, template, summary }]
  }
  if (place) {
    const { path, symbol } = place
    const where = symbol === null ? path : `${symbol} in ${path}`
    const summary = `An error in ${where} was logged ${times}: ${template}`
    return [{ kind: 'error_in_code', path, symbol, template, summary }]
  }
  if (count < MIN_REPEATS) return []
  const summary = `An error was logged ${times}: ${template}`
  return [{ kind: 'error_in_logs', path: null, symbol: null, template, summary }]
}

/** The file of the revision that a frame names: paths in traces are absolute, and those of the revision are not. */
export function placeIn(files: readonly string[], path: string, symbol: string | null) {
  if (path.includes('/node_modules/')) return []
  const found = files
    .filter((file) => path === file || path.endsWith(`/${file}`) || isBelow(file, path))
    .sort((a, b) => b.length - a.length)[0]
  return found === undefined ? [] : [{ path: found, symbol }]
}

/** A path such as `com/example/Shop.java`, whose folders begin at a root of sources. */
function isBelow(file: string, path: string): boolean {
  return path.includes('/') && !path.startsWith('/') && file.endsWith(`/${path}`)
}

/** PHP prints its own errors through nginx, whose line about them names the upstream too. */
const OWN_ERROR = /\bFastCGI sent in stderr\b/
const NETWORK_FAULT = /\b(?:ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|socket hang up)\b/
const BAD_GATEWAY =
  /\b(?:bad gateway|service unavailable|gateway time-?out|no live upstreams|(?:connecting to|from) upstream|upstream (?:timed out|prematurely|connect|server|request|unavailable|error|failed|answered|returned)|(?:status|code|answered|answers|returned|responded|http|with)\W{1,3}50[234])\b/i

function isDependency(template: string): boolean {
  return !OWN_ERROR.test(template) && (NETWORK_FAULT.test(template) || BAD_GATEWAY.test(template))
}
