/** Returns the section of a version in a changelog, without its heading. Throws if there is none. */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m)
  const section = sections.find((text) => text.startsWith(`[${version}]`))
  if (section === undefined) throw new Error(`CHANGELOG.md has no section [${version}]`)
  const [heading = '', ...lines] = section.split('\n')
  return `# svc ${heading.replace(/^\[(.*)\]/, '$1')}\n\n${installing(version)}\n${lines.join('\n').trimEnd()}\n`
}

function installing(version: string): string {
  return `### Install
Check the files with \`sha256sum -c SHA256SUMS\`. The client is \`svc-${version}-linux-<processor>\`: put it into your PATH as
\`svc\`. The server, with npm and Node 20 or later:

    mkdir svc-server && tar -xzf svc-server-${version}.tgz --strip-components=1 -C svc-server
    npm ci --prefix svc-server --ignore-scripts
    svc-server/bin/svc-server.js start

It prints what to do next, and serves its guides under \`/guides\`.
`
}
