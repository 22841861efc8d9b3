/** Where an image runs, in Node's words. */
export type Target = { readonly system: string; readonly cpu: string }

/** Files for those who write programs: types, maps, words, and tests and measures of the package. */
const FOR_DEVELOPERS = [
  /\.(?:[cm]?ts|map|md|flow)$/,
  /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+\/(?:tests?|docs?|benchmarks?)\//,
]
/** Modules that are there in another form too, which is the one that is loaded, and files that nobody loads here. */
const UNUSED = [
  /\/(?:@modelcontextprotocol\/(?:core|server)|zod)\/.*\.cjs$/,
  // The package is found by `index.cjs`. The archives are extensions of Postgres.
  /\/@electric-sql\/pglite\/dist\/(?!index\.cjs).*(?:\.cjs|\.tar\.gz)$/,
]
/** Licences stay, whatever their file is called. */
const LICENCE = /\/(?:licen[cs]e|notice|copying)[^/]*$/i
/** Folders of binaries for one system and processor each. */
const BINARIES = [
  /\/onnxruntime-node\/bin\/[^/]+\/(?<system>[^/]+)\/(?<cpu>[^/]+)\//,
  /\/prebuilds\/(?<system>[^/-]+)-(?<cpu>[^/]+)\//,
]

/** Whether a server needs a file of a package when it runs. The path begins with `node_modules`. */
export function isRuntimeFile(path: string, { system, cpu }: Target): boolean {
  if (LICENCE.test(path)) return true
  const built = BINARIES.map((pattern) => pattern.exec(path)?.groups).find((groups) => groups !== undefined)
  if (built && (built.system !== system || built.cpu !== cpu)) return false
  return ![...FOR_DEVELOPERS, ...UNUSED].some((pattern) => pattern.test(path))
}
