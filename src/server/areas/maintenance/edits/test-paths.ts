/** Folders of tests at the root of an app. Deeper ones are no sign of a test: `app/api/test/route.ts` is an endpoint. */
const TEST_FOLDER = /^(?:tests?|spec|__tests__)\//i

/**
 * File names by which runners find tests. Only those of programs, because `openapi.spec.yaml` and `database.test.json`
 * configure something. Words that are joined by a hyphen are left out: `ab-test.js` is part of an app.
 */
const TEST_NAMES: readonly RegExp[] = [
  /^.+\.(?:test|spec)\.(?:[cm]?[jt]sx?|vue|svelte|py|rb|php|dart|exs)$/i,
  /^.+_(?:test|spec)\.(?:py|rb|go|exs|dart|cc|cpp)$/i,
  /^test_.+\.(?:py|rb)$/i,
  /^.*[a-z0-9](?:Tests?|Spec)\.(?:java|kt|scala|groovy|cs|fs|vb|php|swift)$/,
]

/** The script that a small app has as its only test. */
const ROOT_TEST = /^tests?\.(?:[cm]?[jt]s|py|rb)$/i

/** Folders whose files frameworks serve, compile or run whatever their names are. */
const SHIPPED = /(?:^|\/)(?:public|static|pages\/api|src\/main|config\/initializers)\//i

const INSTALLED = /(?:^|\/)node_modules\//i

/** Names without anything that a reader could take for something else, and without hidden files. */
const PLAIN_PATH = /^[\w@+-][\w.@+-]*(?:\/[\w@+-][\w.@+-]*)*$/

const MAX_ADDED_PATH = 200

/** Whether a file is a test or belongs to tests, by its path. */
export function isTestPath(path: string): boolean {
  const normal = path.normalize('NFKC')
  if (INSTALLED.test(normal)) return false
  if (TEST_FOLDER.test(normal) || ROOT_TEST.test(normal)) return true
  const name = normal.slice(normal.lastIndexOf('/') + 1)
  return TEST_NAMES.some((pattern) => pattern.test(name)) && !SHIPPED.test(normal)
}

/** Returns why the agent may not add a file of this path, or undefined if it may. Everything that it adds is a test. */
export function findAddedPathFault(path: string): string | undefined {
  if (path.length > MAX_ADDED_PATH) return `The path of an added file has at most ${MAX_ADDED_PATH} characters.`
  if (!PLAIN_PATH.test(path)) {
    return 'The path of an added file has only ASCII letters, digits, and the characters _ @ + - . and /, and no part of it begins with a dot.'
  }
  return isTestPath(path)
    ? undefined
    : 'Only test files can be added: below the folder test, tests, spec or __tests__ of the root, or elsewhere with the name of a test, such as cart.test.js, test_cart.py, cart_test.go or CartTest.java, but never below public, static, pages/api, src/main, config/initializers or node_modules.'
}
