/** File names, as parts of a pattern for a lowercase name, of programs that run when an app is built, tested or released. */
const NAMES: readonly string[] = [
  // make and the like
  String.raw`(?:gnu)?makefile[^/]*|[^/]+\.mk|\.?justfile|taskfile[^/]*|rakefile|[^/]+\.rake|(?:gulp|grunt|jake)file[^/]*`,
  String.raw`(?:cake|earth|tilt|vagrant|brew|danger|fast|pod|snap)file|cmakelists\.txt|[^/]+\.cmake|configure(?:\.ac|\.in)?`,
  String.raw`meson(?:\.build|_options\.txt|\.options)|sconstruct|sconscript|wscript|build\.ninja`,
  String.raw`(?:build|workspace|module)(?:\.bazel)?|[^/]+\.bzl|\.bazelrc|buck|\.buckconfig|pants\.toml`,
  // programs called build, and all shell scripts
  String.raw`build\.(?:py|rb|rs|xml|zig|sbt|clj|boot|cake|[cm]?[jt]s)|[^/]+\.(?:sh|bash|zsh|fish|ps1|bat|cmd)`,
  // Python
  String.raw`(?:conftest|dodo|fabfile|noxfile|sitecustomize|usercustomize)\.py|[^/]+\.pth|tox\.ini|pytest\.ini|\.coveragerc`,
  // Java, .NET, Go, Clojure, Erlang, OCaml, Haskell
  String.raw`gradlew|mvnw|gradle\.properties|[^/]+\.gradle(?:\.kts)?|directory\.build\.(?:props|targets)|[^/]+\.targets`,
  String.raw`magefile\.go|\.goreleaser\.ya?ml|project\.clj|deps\.edn|rebar\.config|dune-project|dune|stack\.yaml|[^/]+\.cabal`,
  // JavaScript: everything that a tool loads as its configuration is a program
  String.raw`[^/]+\.config\.(?:[cm]?[jt]sx?|json|ya?ml|toml)|(?:turbo|nx|lerna|rush|project|angular)\.json|[jt]sconfig[^/]*\.json`,
  String.raw`(?:vite|vitest|webpack|rollup|esbuild|babel|jest|karma|ecosystem)(?:[.-][^/]+)?\.[cm]?[jt]sx?|esbuild[^/]*`,
  String.raw`(?:ember-cli-build|\.eleventy|config-overrides|knexfile|setup-?tests)\.[cm]?[jt]sx?`,
  String.raw`\.(?:babel|swc|parcel|postcss|eslint|stylelint|prettier|mocha|nyc|lintstaged|release|puppeteer)rc[^/]*`,
]

const FOLDERS = String.raw`\.storybook|\.cargo|\.mvn|\.gradle|gradle|\.yarn|\.config|buildsrc|\.vscode|\.idea`

/** Matches lowercase paths of files that run when an app is built or tested, so that a change of one runs commands then. */
export const BUILD_FILES = new RegExp(`(?:^|/)(?:${NAMES.join('|')})$|(?:^|/)(?:${FOLDERS})/`)
