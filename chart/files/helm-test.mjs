// Asks every service whether it is ready, and the door whether it refuses a wrong token. Run by `helm test`.
const urls = process.env.SERVICE_URLS.split(',')
for (const url of urls) {
  const response = await fetch(`${url}/readyz`)
  console.log(`${url}/readyz answers ${response.status}: ${await response.text()}`)
  if (response.status !== 200) process.exitCode = 1
}
const { status } = await fetch(`${urls[0]}/api/wf/data-sources`, { headers: { authorization: 'Bearer wrong' } })
console.log(`a wrong token is answered with ${status}, expected 401`)
if (status !== 401) process.exitCode = 1
