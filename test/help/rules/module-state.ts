import { type SourceFile, withoutComments } from './layers.ts'

/**
 * State of modules that stays, as `path name`. ARCHITECTURE.md names each file with its reason, under "Channels that
 * cannot be seen in a signature".
 */
export const ALLOWED_STATE: readonly string[] = [
  'lib/db/change-watch.ts watch',
  'lib/db/embedded/engine-answers.ts opened',
  'lib/db/sql.ts nameByText',
  'lib/db/transaction-guard.ts inside',
  'lib/ids.ts lastIds',
  'lib/ids.ts randomUsed',
  'server/areas/ai/builtin/model-worker.ts loaded',
  'server/areas/apps/process/sandbox/inside.ts app',
  'server/areas/apps/process/sandbox/inside.ts port',
  'server/areas/databases/engine/embedded/engine-child.ts input',
  'server/areas/databases/engine/embedded/engine-child.ts unread',
  'server/areas/databases/engine/guard.ts sessionGuard',
  'server/areas/databases/engine/guard.ts settingsGuard',
]

const VARIABLE = /^(?:export\s+)?(?:let|var)\s+([\w$]+)/gm
const CONSTANT = /^(?:export\s+)?const\s+([\w$]+)/gm
/** Objects with a life of their own, made while the module is loaded. */
const OBJECT = /^(?:export\s+)?const\s+([\w$]+)[^=\n]*=\s*(?:create[A-Z]\w*|new AsyncLocalStorage(?:<[^>]*>)?)\(/gm
const MUTATOR = '(?:set|add|delete|clear|push|pop|shift|unshift|splice|fill|getOrMake)'

/** Finds variables of modules, and constants of modules whose content changes after the module was loaded. */
export function findModuleState(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => !/\.test\.tsx?$/.test(path))
    .flatMap(({ path, text }) => {
      const plain = withoutComments(text)
      const variables = [...plain.matchAll(VARIABLE)].map(([, name]) => name!)
      const objects = [...plain.matchAll(OBJECT)].map(([, name]) => name!)
      const changed = [...plain.matchAll(CONSTANT)].map(([, name]) => name!).filter((name) => isChanged(plain, name))
      const names = [...new Set([...variables, ...objects, ...changed])]
      return names
        .filter((name) => !ALLOWED_STATE.includes(`${path} ${name}`))
        .map((name) => `${path}: ${name} is state of the module`)
    })
}

/** Whether content of the constant is added, replaced or removed anywhere in its file. */
function isChanged(text: string, name: string): boolean {
  const own = `(?<![.\\w$])${name.replaceAll('$', '\\$')}`
  const assignment = '(?:=(?![=>])|[-+*/|&?]{1,2}=|\\+\\+|--)'
  return new RegExp(`${own}(?:\\.${MUTATOR}\\(|(?:\\.[\\w$]+|\\[[^\\]\\n]*\\])+\\s*${assignment})`).test(text)
}
