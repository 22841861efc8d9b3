/**
 * Reads what the maintenance agent told the model so far: the first evidence, a line for each tool in the first message
 * of the user, and then the result of each call.
 */
export function readConversation(messages) {
  const first = messages.find(({ role }) => role === 'user')?.content ?? ''
  const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls)
  const results = calls.map(({ id, function: { name, arguments: input } }) => ({
    tool: name,
    input: parse(input) ?? {},
    result: parse(messages.find(({ tool_call_id }) => tool_call_id === id)?.content) ?? {},
  }))
  const evidence = (tool) =>
    parse(
      first
        .split('\n')
        .find((line) => line.startsWith(`${tool} `))
        ?.slice(tool.length),
    )
  return {
    logs: evidence('log_templates'),
    files: (evidence('list_files')?.untrusted_data.files ?? []).map(({ path }) => path),
    /** The newest result of a tool, or undefined if it was not called. */
    resultOf: (tool) => results.findLast((one) => one.tool === tool)?.result,
    hasFinished: results.some(({ tool }) => tool === 'finish'),
  }
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
