/** Folders and names that test runners of common languages look for, in a lowercase path. */
const TEST_PATH =
  /(?:^|\/)(?:tests?|__tests__|specs?)\/|(?:^|\/)(?:tests?|specs?)\.[^/]+$|(?:^|\/)test_[^/]+$|[._-](?:tests?|specs?)\.[^/.]+$/

/** Names without anything that a reader could take for something else, and without hidden files. */
const PLAIN_PATH = /^[\w@+-][\w.@+-]*(?:\/[\w@+-][\w.@+-]*)*$/

const MAX_ADDED_PATH = 200

/** Whether a file is a test or belongs to tests, by its path. */
export function isTestPath(path: string): boolean {
  return TEST_PATH.test(path.normalize('NFKC').toLowerCase())
}

/** Returns why the agent may not add a file of this path, or undefined if it may. Everything that it adds is a test. */
export function findAddedPathFault(path: string): string | undefined {
  if (!isTestPath(path) || path.split('/').includes('node_modules')) {
    return 'Only test files can be added: below a folder test, tests, spec or __tests__, or with a name such as cart.test.js or test_cart.py.'
  }
  if (path.length > MAX_ADDED_PATH) return `The path of an added file has at most ${MAX_ADDED_PATH} characters.`
  return PLAIN_PATH.test(path)
    ? undefined
    : 'The path of an added file has only ASCII letters, digits, and the characters _ @ + - . and /, and no part of it begins with a dot.'
}
