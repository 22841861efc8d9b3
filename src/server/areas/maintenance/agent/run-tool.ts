import type { Client } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import type { JsonOperation } from '#contract/core/operation.ts'
import { tryParseJson } from '#lib/json.ts'
import type { ChatToolCall } from '#ports/chat-model.ts'
import { takeFitting } from '../tools/bounds.ts'
import type { ToolAnswer } from './facts.ts'
import { ClaimLost } from './spend.ts'
import { AGENT_TOOLS, isAgentTool } from './tool-table.ts'

/** A tool that failed because of a fault of svc. The message of its cause is for the log of the operator. */
export class ToolFailed extends Error {
  override readonly name = 'ToolFailed'
}

type ToolResult = ToolAnswer | { readonly error: string }

/** Calls one tool. What the model got wrong is returned, so that it can correct it. */
export async function runTool(
  tools: Client,
  { name, arguments: written }: ChatToolCall,
  signal: AbortSignal,
): Promise<ToolResult> {
  if (!isAgentTool(name))
    return { error: `There is no tool of this name. Use: ${Object.keys(AGENT_TOOLS).join(', ')}.` }
  const given = tryParseJson(written === '' ? '{}' : written)
  if (given === undefined) return { error: 'The arguments are not valid JSON.' }
  const operation: JsonOperation = AGENT_TOOLS[name]
  const { data, error } = operation.input.safeParse(given)
  if (error) return { error: error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ') }
  try {
    const answer = await callOnceMore(() => tools.call(operation, data, { signal }), signal)
    return { tool: name, answer } as ToolAnswer
  } catch (failure) {
    if (!(failure instanceof ServiceError)) throw failure
    if (failure.code === 'INVALID_TOKEN') throw new ClaimLost('a tool refused the run')
    if (failure.status < 500) return { error: failure.message }
    throw new ToolFailed(`the tool ${name} failed`, { cause: failure })
  }
}

/** Tools only read, except for staging an edit, which is refused the second time because its old text is gone. */
async function callOnceMore<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (signal.aborted || !(error instanceof ServiceError) || error.status < 500) throw error
    return call()
  }
}

/** The text that the model is given. Everything that was read stands under `untrusted_data`, in one JSON value. */
export function shownResult(result: ToolResult): string {
  if ('error' in result) return JSON.stringify({ error: result.error })
  if (result.tool === 'stage_edit') return JSON.stringify(result.answer)
  const { evidence_id, ...data } = result.answer
  return JSON.stringify({ evidence_id, untrusted_data: fitted(data) })
}

/** Cuts lists that are longer than a model is given. */
function fitted(data: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(data).map(([key, value]) => {
    if (!Array.isArray(value)) return [[key, value]]
    const { taken, isAll } = takeFitting(value)
    const more = isAll ? [] : [[`more_${key}`, value.length - taken.length]]
    return [[key, taken], ...more]
  })
  return Object.fromEntries(entries.flat())
}
