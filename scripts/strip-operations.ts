import { join } from 'node:path'
import { type ESTree, type Plugin, parseSync } from 'vite'
import * as methods from '../src/contract/core/methods.ts'

const CONTRACT = join(import.meta.dirname, '..', 'src', 'contract')

/** The fields that operations of one method share, by the name under which they spread it. */
const METHODS = { ...methods }

/** The properties of an operation that the client of the pages reads. */
const OF_CLIENT = new Set(['kind', 'name', 'method', 'path', 'effect', 'resumable', 'idempotent'])

/**
 * Leaves of each operation in the pages only what their client reads. The schemas, texts and rules are for the service:
 * its pages trust its answers (`trustsAnswers` of the client), and zod with the schemas would be a third of them.
 */
export const operationsOfPages: Plugin = {
  name: 'operations-of-pages',
  enforce: 'pre',
  transform: (code, id) => (id.startsWith(CONTRACT) ? { code: stripOperations(code), map: null } : null),
}

type Edit = { readonly start: number; readonly end: number; readonly text: string }
type Constants = ReadonlyMap<string, ESTree.Expression>

/**
 * Replaces each `operation({…})` of a source text by an object with the properties that the client reads. Constants that
 * other calls make, such as schemas, are marked so that the bundler leaves out those that nothing uses.
 */
export function stripOperations(code: string): string {
  const constants = constantsIn(code)
  const edits = [...constants.values()].map((value): Edit => {
    const { start, end } = value
    if (isOperation(value))
      return { start, end, text: `{ ${ofClient(value.arguments[0], constants, code).join(', ')} }` }
    const text = code.slice(start, end)
    return { start, end, text: text.includes('(') ? leftOutUnused(text) : text }
  })
  return edits.reduceRight((text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end), code)
}

/** Finds the constants of a module, other than functions, in the order of the text. */
function constantsIn(code: string): Constants {
  const { body } = parseSync('contract.ts', code).program
  const declared = body
    .map((statement) => (statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement))
    .flatMap((statement) => (statement?.type === 'VariableDeclaration' ? statement.declarations : []))
  return new Map(
    declared.flatMap(({ id, init }) =>
      id.type === 'Identifier' && init && init.type !== 'ArrowFunctionExpression' ? [[id.name, init]] : [],
    ),
  )
}

function isOperation(value: ESTree.Expression): value is ESTree.CallExpression {
  return value.type === 'CallExpression' && value.callee.type === 'Identifier' && value.callee.name === 'operation'
}

/** Returns the texts of the properties that the client reads, also of constants that are spread into the object. */
function ofClient(value: ESTree.Node | undefined, constants: Constants, code: string): string[] {
  if (value?.type === 'TSAsExpression') return ofClient(value.expression, constants, code)
  if (value?.type === 'Identifier' && value.name in METHODS) return ofMethod(value.name as keyof typeof METHODS)
  if (value?.type === 'Identifier') return ofClient(constants.get(value.name), constants, code)
  if (value?.type !== 'ObjectExpression')
    throw new Error('operation() can be stripped only if it has an object literal')
  return value.properties.flatMap((property) => {
    if (property.type === 'SpreadElement') return ofClient(property.argument, constants, code)
    const isRead = property.key.type === 'Identifier' && OF_CLIENT.has(property.key.name)
    return isRead ? [code.slice(property.start, property.end)] : []
  })
}

/** Returns the texts of the properties that the client reads of what operations of one method share. */
function ofMethod(name: keyof typeof METHODS): string[] {
  const shared = Object.entries(METHODS[name]).filter(([key]) => OF_CLIENT.has(key))
  return shared.map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
}

/** A chain of calls cannot be marked as a whole, but a function that makes it can. */
function leftOutUnused(text: string): string {
  return `/* @__PURE__ */ (() => (${text}))()`
}
