/** Returns the section of a version in a changelog, without its heading. Throws if there is none. */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m)
  const section = sections.find((text) => text.startsWith(`[${version}]`))
  if (section === undefined) throw new Error(`CHANGELOG.md has no section [${version}]`)
  const [heading = '', ...lines] = section.split('\n')
  return `# svc ${heading.replace(/^\[(.*)\]/, '$1')}\n${lines.join('\n').trimEnd()}\n`
}
