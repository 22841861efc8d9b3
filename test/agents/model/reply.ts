/** A model's request, reduced to what the script needs. */
export type Turn = {
  /** Names of the tools that the agent offers. */
  tools: readonly string[]
  /** Results of the tool calls of this conversation, each with the id of its call. */
  results: readonly { id: string | undefined; text: string }[]
}

export type Call = { id: string; name: string; input: Record<string, unknown> }
export type Reply = { call: Call } | { text: string }

const TOOL = 'data_source_query'
const ASK = 'call_ask'
const SEARCH = 'call_search'

export type Question = { id: string; query: string }

/** Question about the example data source, and the title of its best answer. */
export const QUESTION: Question = { id: 'db_handbook', query: 'my laptop was stolen, what now?' }
export const ANSWER = 'Lost or missing devices'

/** Results of the questions in a conversation, in their order. */
export function answersIn({ results }: Turn): string[] {
  return results.filter(({ id }) => id?.startsWith(ASK)).map(({ text }) => text)
}

type Asking = { question?: Question; times?: number }

/**
 * Asks for the tool `data_source_query`, under the prefix that the agent gives it, so many times, and then repeats the
 * last result. Claude Code names its MCP tools in the prompt only and offers them after a call of ToolSearch. Requests
 * without either, such as for the title of a session, get a short text.
 */
export function replyTo(turn: Turn, { question = QUESTION, times = 1 }: Asking = {}): Reply {
  const { tools, results } = turn
  const answers = answersIn(turn)
  if (answers.length >= times) return { text: `The tool returned: ${answers.at(-1)}` }
  const name = tools.find((tool) => tool.endsWith(TOOL))
  // Agents take the same call again for a loop, so the questions differ.
  const input = answers.length === 0 ? { ...question } : { ...question, top_k: 5 + answers.length }
  if (name !== undefined) return { call: { id: `${ASK}${answers.length || ''}`, name, input } }
  const hasSearched = results.some(({ id }) => id === SEARCH)
  if (!tools.includes('ToolSearch') || hasSearched) return { text: 'No tool to call.' }
  return { call: { id: SEARCH, name: 'ToolSearch', input: { query: `select:mcp__svc__${TOOL}`, max_results: 1 } } }
}
