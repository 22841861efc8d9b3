type Step =
  | { readonly text: string }
  /** `code` is pasted as it stands: into a terminal, or into the file that the text before it names. */
  | { readonly code: string }

export type KnownAgent = { readonly name: string; readonly steps: readonly Step[] }

/** How each known agent is connected to the MCP endpoint at `url`. The guide docs/connect-an-agent.md has the same code. */
export function knownAgents(url: string): readonly KnownAgent[] {
  return [
    {
      name: 'Claude Code',
      steps: [{ code: `claude mcp add --transport http svc ${url}\nclaude mcp login svc` }],
    },
    {
      name: 'Claude (web and desktop)',
      steps: [
        { text: 'Open Settings, Connectors, Add custom connector, and enter this address:' },
        { code: url },
        { text: 'Claude calls from its own servers, so svc must be reachable from the internet.' },
      ],
    },
    {
      name: 'ChatGPT',
      steps: [
        { text: 'Open Settings, Apps & Connectors, Advanced, and switch on developer mode.' },
        { text: 'Then choose Create, enter this address and choose OAuth:' },
        { code: url },
        { text: 'ChatGPT also calls from the internet.' },
      ],
    },
    { name: 'Codex', steps: [{ code: `codex mcp add svc --url ${url}` }] },
    {
      name: 'VS Code',
      steps: [
        { text: 'Add this to .vscode/mcp.json, then choose Start above the entry.' },
        { code: `{ "servers": { "svc": { "type": "http", "url": "${url}" } } }` },
      ],
    },
    {
      name: 'OpenCode',
      steps: [
        { text: 'Add this to opencode.json (OpenCode 1; in OpenCode 2 the entry is mcp.servers.svc).' },
        { code: `{ "mcp": { "svc": { "type": "remote", "url": "${url}" } } }` },
        { text: 'Then run:' },
        { code: 'opencode mcp auth svc' },
      ],
    },
    {
      name: 'Gemini CLI',
      steps: [
        { code: `gemini mcp add --transport http svc ${url}` },
        { text: 'Then, in a session of Gemini:' },
        { code: '/mcp auth svc' },
      ],
    },
    {
      name: 'mcporter',
      steps: [{ code: `mcporter config add svc ${url} --scope home\nmcporter auth svc` }],
    },
    {
      name: 'Cursor',
      steps: [
        { text: 'Add this to ~/.cursor/mcp.json. When it asks to log in, the browser opens, and then Cursor again.' },
        { code: `{ "mcpServers": { "svc": { "url": "${url}" } } }` },
      ],
    },
    {
      name: 'Other MCP clients',
      steps: [
        { text: 'Agents that cannot open a browser use an API token. They send it as this header:' },
        { code: 'Authorization: Bearer <API_KEY>' },
        { text: 'Create the token under Settings, API tokens.' },
      ],
    },
  ]
}
