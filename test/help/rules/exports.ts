import { importsOf, roomOf, type SourceFile, withoutComments } from './layers.ts'

/** Modules that something other than an import loads, or whose importers live outside this repository. */
const ENTRY_POINTS = [
  // The test runner puts it in the place of lib/files/bundle.ts.
  'test/help/suite/built-workers.ts',
  'worker-sdk/index.ts',
  'test/help/suite/global-setup.ts',
  'test/help/suite/area-reporter.ts',
  'test/help/suite/skip-reporter.ts',
  'test/help/suite/slowest-first.ts',
  'test/help/work/table-jobs.ts',
]

/** Names that the product uses only in their own file, and that tests of other rooms cannot do without. */
const NAMED_BY_TESTS = [
  'contract/core/client-upload.ts UploadProgress',
  'contract/core/ids.ts ID_PREFIXES',
  'contract/core/roles.ts ROLES',
  'edge/credentials/actor-assertion.ts ActorClaims',
  'edge/listen/listen.ts ListenOptions',
  'lib/time/clock.ts TestClock',
  'lib/db/postgres.ts PostgresOptions',
  'lib/net/operator-fetch.ts OperatorFetchOptions',
  'server/areas/databases/engine/embedded/engine.ts EmbeddedOptions',
  'server/process/first-start/first-run.ts FirstRun',
]

/** Folders whose modules are loaded by name, so that all of them export the same one. */
const LOADED_BY_NAME = ['cli/commands/', 'server/compose/']

const DECLARATION =
  /^export\s+(?:declare\s+)?(?:async\s+)?(?:abstract\s+)?(?:function\*?|class|const|let|type|interface|enum)\s+([\w$]+)/gm
const LIST = /^export\s+(?:type\s+)?\{([^}]*)\}(?:\s*from\s*['"]([^'"]+)['"])?/gm
const NAMED_IMPORT = /\bimport\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?\{([^}]*)\}\s*from\s*['"]([^'"]+)['"]/g
const WHOLE_IMPORT = /\bimport\s*\*\s*as\s+([\w$]+)\s+from\s*['"]([^'"]+)['"]/g
const LATE_IMPORT = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g

type Export = { readonly name: string; readonly isPassedOn: boolean }

/**
 * Finds exports that nobody imports. Code of the product must be imported by code of the product or by a test of its own
 * room; a test elsewhere speaks through the public surface. Test helpers may be imported by anything.
 */
export function findUnusedExports(files: readonly SourceFile[]): string[] {
  const users = new Map<string, Set<string>>()
  for (const file of files) {
    for (const use of usesOf(file)) users.set(use, (users.get(use) ?? new Set()).add(file.path))
  }
  return files
    .filter(({ path }) => !isTest(path) && isUnderRule(path) && !ENTRY_POINTS.includes(path))
    .flatMap((file) => {
      const isUsed = (name: string) =>
        [`${file.path} ${name}`, `${file.path} *`]
          .flatMap((use) => [...(users.get(use) ?? [])])
          .some((user) => user !== file.path && counts(user, file.path))
      const isListed = (name: string) => NAMED_BY_TESTS.includes(`${file.path} ${name}`)
      const unused = exportsOf(file).filter(({ name }) => !isListed(name) && !isUsed(name))
      return [...new Set(unused.map(({ name }) => `${file.path}: ${name} is exported and nothing imports it`))]
    })
}

/** Finds names that two files of one room export, unless one only passes on the other's. */
export function findDoubleExports(files: readonly SourceFile[]): string[] {
  const places = new Map<string, Set<string>>()
  for (const file of files) {
    const { path } = file
    if (isTest(path) || !isUnderRule(path) || LOADED_BY_NAME.some((folder) => path.startsWith(folder))) continue
    for (const { name, isPassedOn } of exportsOf(file)) {
      const key = `${roomOf(path)}: ${name}`
      if (!isPassedOn) places.set(key, (places.get(key) ?? new Set()).add(path))
    }
  }
  return [...places]
    .filter(([, paths]) => paths.size > 1)
    .map(([key, paths]) => `${key} is exported by ${[...paths].sort().join(' and ')}`)
}

function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path)
}

function isUnderRule(path: string): boolean {
  return !/^(?:bench|scripts|bin)\//.test(path) && (!path.startsWith('test/') || path.startsWith('test/help/'))
}

function counts(user: string, exporter: string): boolean {
  if (exporter.startsWith('test/')) return true
  return isTest(user) ? roomOf(user) === roomOf(exporter) : !user.startsWith('test/')
}

function exportsOf({ text }: SourceFile): Export[] {
  const plain = withoutComments(text)
  const declared = [...plain.matchAll(DECLARATION)].map(([, name]) => ({ name: name!, isPassedOn: false }))
  const listed = [...plain.matchAll(LIST)].flatMap(([, list, from]) =>
    namesIn(list!).map(({ outer }) => ({ name: outer, isPassedOn: from !== undefined })),
  )
  return [...declared, ...listed]
}

/** Returns what a file imports or passes on, as `path name`, or `path *` where it takes the whole module. */
function usesOf(file: SourceFile): string[] {
  const plain = withoutComments(file.text)
  const lists = [...plain.matchAll(NAMED_IMPORT), ...plain.matchAll(LIST)]
  return [
    ...lists.flatMap(([, list, from]) =>
      from === undefined ? [] : namesIn(list!).map(({ inner }) => `${resolve(file.path, from)} ${inner}`),
    ),
    ...[...plain.matchAll(WHOLE_IMPORT)].flatMap(([, module, from]) =>
      membersOf(module!, plain).map((name) => `${resolve(file.path, from!)} ${name}`),
    ),
    ...[...plain.matchAll(LATE_IMPORT)].map(([, from]) => `${resolve(file.path, from!)} *`),
  ]
}

/** Returns what a file uses of a module that it imported as a whole. `*`: it hands the module on. */
function membersOf(module: string, text: string): string[] {
  const members = [...text.matchAll(new RegExp(`\\b${module}\\.([\\w$]+)`, 'g'))]
  return members.length === 0 ? ['*'] : members.map(([, name]) => name!)
}

/** Returns the path of an imported file as `SourceFile` writes it: relative to `src`, or with the folder beside `src`. */
function resolve(path: string, specifier: string): string {
  if (specifier.startsWith('#test/')) return specifier.replace('#test/', 'test/help/')
  const [imported = ''] = importsOf({ path, text: `import '${specifier}'` })
  return imported.replace(/^(?:\.\.\/)?(?:src\/)?/, '')
}

/** Reads a list such as `a, type b, c as d`: the name of each inside its module and outside. */
function namesIn(list: string): { inner: string; outer: string }[] {
  const parts = list.split(',').map((part) => part.trim().replace(/^type\s+/, ''))
  return parts
    .filter((part) => part !== '')
    .map((part) => {
      const [inner = '', outer = inner] = part.split(/\s+as\s+/)
      return { inner, outer }
    })
}
