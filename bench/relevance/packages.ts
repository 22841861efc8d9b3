import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Package } from '../recall/packages.ts'

/*
 * Questions that descriptions of packages answer, by three methods of which the product uses none: written by hand, made
 * from the tags that the maintainers of Debian gave to a package, and descriptions in other words.
 */
const HAND_WRITTEN = ['packages.txt', '../recall/questions.txt']

export function writtenQuestions(): string[] {
  return HAND_WRITTEN.flatMap((file) =>
    readFileSync(join(import.meta.dirname, file), 'utf8')
      .trim()
      .split('\n'),
  )
}

/** The questions that were written by hand come first. */
export function packageQuestions(packages: readonly Package[], count: number): string[] {
  const written = writtenQuestions()
  const tagged = [...new Set(packages.flatMap(({ tags }) => taggedQuestion(tags) ?? []))]
  const reworded = packages.flatMap(({ text }, i) => {
    const description = text.slice(text.indexOf(': ') + 2)
    return i % 7 === 0 ? (rewordedQuestion(description, i / 7) ?? []) : []
  })
  const half = Math.ceil((count - written.length) / 2)
  return [...written, ...tagged.slice(0, half), ...reworded].slice(0, count)
}

const USES: Readonly<Record<string, string>> = {
  editing: 'edit', viewing: 'look at', converting: 'convert', playing: 'play', checking: 'check', downloading: 'download',
  analysing: 'analyse', organizing: 'keep order in', searching: 'search', storing: 'store', monitor: 'watch over',
  synchronizing: 'keep in step', browsing: 'browse', compressing: 'make smaller', printing: 'print', comparing: 'compare',
  filtering: 'filter', learning: 'learn about', measuring: 'measure', transmission: 'send', typesetting: 'typeset',
  proxying: 'pass on', routing: 'route', scanning: 'scan', simulating: 'simulate', timekeeping: 'keep track of',
  configuring: 'set up', chatting: 'chat about', gameplaying: 'play with', 'text-formatting': 'format',
} // biome-ignore format: a table is easier to read in few lines

const OBJECTS: Readonly<Record<string, string>> = {
  audio: 'sound', video: 'films', image: 'pictures', 'image:raster': 'photos', 'image:vector': 'drawings', text: 'text',
  mail: 'emails', file: 'files', db: 'databases', archive: 'archives', logfile: 'logs', 'network-traffic': 'traffic of the network',
  'software:package': 'packages', 'software:source': 'source code', 'software:running': 'running programs', font: 'fonts',
  dictionary: 'dictionaries', calendar: 'appointments', people: 'contacts', spreadsheet: 'spreadsheets', '3dmodel': 'models in three dimensions',
  biological: 'genes', im: 'chats', 'pim': 'personal notes', 'unicode': 'unicode text', 'music-notation': 'sheet music', graphs: 'graphs',
} // biome-ignore format: a table is easier to read in few lines

const PLACES: Readonly<Record<string, string>> = {
  commandline: 'from the shell', 'text-mode': 'in a terminal', x11: 'with windows and a mouse', web: 'in the browser',
  daemon: 'in the background', '3d': 'in three dimensions',
} // biome-ignore format: a table is easier to read in few lines

const BEGINNINGS = ['which program can', 'I want to', 'looking for a tool to', 'can Debian', 'software to'] as const

/** Returns undefined for a package whose tags say too little. */
function taggedQuestion(tags: readonly string[]): string | undefined {
  const [use, object, place, field] = ['use', 'works-with', 'interface', 'field'].map((facet) => tagValue(tags, facet))
  const verb = use && USES[use]
  const noun = (object && OBJECTS[object]) ?? field?.split(':').at(-1)
  if (!verb || !noun || noun === 'TODO' || !tags.includes('role::program')) return undefined
  const about = field && object ? ` in ${field.split(':').at(-1)}` : ''
  const where = place && PLACES[place] ? ` ${PLACES[place]}` : ''
  return `${BEGINNINGS[(verb.length + noun.length) % BEGINNINGS.length]} ${verb} ${noun}${about}${where}`
}

function tagValue(tags: readonly string[], facet: string): string | undefined {
  return tags.find((tag) => tag.startsWith(`${facet}::`))?.slice(facet.length + 2)
}

const OTHER_WORDS: Readonly<Record<string, string>> = {
  tool: 'program', tools: 'programs', utility: 'helper', utilities: 'helpers', library: 'code to link against', libraries: 'code to link against',
  simple: 'plain', fast: 'quick', small: 'tiny', lightweight: 'frugal', powerful: 'strong', flexible: 'adaptable', easy: 'effortless',
  files: 'documents', file: 'document', image: 'picture', images: 'pictures', audio: 'sound', music: 'songs', video: 'film', game: 'pastime',
  convert: 'turn', converter: 'changer', editor: 'something to write and change', viewer: 'something to look at', manager: 'something to organise',
  create: 'make', generate: 'produce', generator: 'maker', display: 'show', parse: 'read', parser: 'reader', parsing: 'reading',
  client: 'program that connects', server: 'service', interface: 'way to use', bindings: 'way to call', framework: 'scaffold', toolkit: 'set of parts',
  module: 'part', plugin: 'add-on', plugins: 'add-ons', extension: 'add-on', support: 'help', development: 'building', headers: 'declarations',
  documentation: 'manual', data: 'information', network: 'net', internet: 'net', web: 'online', website: 'site', password: 'secret', encryption: 'ciphering',
  graphical: 'clickable', command: 'shell', 'command-line': 'shell', terminal: 'console', text: 'writing', collection: 'bundle', set: 'bundle',
  implementation: 'realisation', implements: 'realises', provides: 'gives', provide: 'give', allows: 'lets', using: 'by', common: 'shared', runtime: 'running',
  shared: 'common', debugging: 'finding bugs of', testing: 'trying out', test: 'try', monitor: 'watch', monitoring: 'watching', remove: 'delete',
  search: 'find', large: 'big', multiple: 'several', various: 'different', based: 'built', written: 'made', free: 'open', modern: 'recent', system: 'computer',
} // biome-ignore format: a table is easier to read in few lines

const ENDINGS = ['anything for $', '$, what do I install', 'do you have $', '$ please', 'package with $'] as const

/** The description in other words. Returns undefined where there are none. */
export function rewordedQuestion(description: string, n: number): string | undefined {
  const words = description
    .replaceAll(/\([^)]*\)/g, '')
    .split(/[\s,/-]+/)
    .filter((word) => word !== '')
  const other = words.map((word) => OTHER_WORDS[word.toLowerCase()] ?? word)
  const replaced = other.filter((word, i) => word !== words[i]).length
  if (words.length < 3 || replaced === 0) return undefined
  return ENDINGS[n % ENDINGS.length]!.replace('$', () => other.join(' ').toLowerCase())
}
