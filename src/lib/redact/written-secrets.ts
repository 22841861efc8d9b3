/** Secrets in command lines, addresses, headers and files of settings. The group `secret` ends each of them. */
export const WRITTEN_SECRETS: readonly RegExp[] = [
  // A password in an address, also one with slashes. Digits behind the colon and a slash behind them are a port.
  /:\/\/[^\s:@/"'<>]{0,128}:(?!\d{1,5}(?:[/?#\s"']|$))(?<secret>[^\s"'<>]{1,256})(?=@[\w[])/g,
  // curl -u name:password. A pair of numbers is a user and a group.
  /(?<![^\s"'`])(?:-u|-U|--user|--proxy-user)(?:=|[ \t]{0,4})["']?[^\s:"'/]{0,64}["']?:["']?(?!\d{1,6}(?!\S))(?<secret>[^\s"']{3,200})/g,
  // mysql -ppassword
  /\b(?:mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump)\b[^\n|;]{0,200}?[ \t]-p["']?(?<secret>[^\s"']{1,200})/g,
  /\b(?:sshpass|mongo|mongosh|mongodump|docker login|podman login|smbclient|ldapsearch|redis-cli|7z|zip|unzip|keytool)\b[^\n|;]{0,200}?[ \t]-(?:p|a|w|P|storepass|keypass)[ \t]{0,4}["']?(?<secret>[^\s"'-][^\s"']{3,200})/g,
  /--[a-z-]{0,30}(?:password|passwd|passphrase|pass|token|secret|api-?key|auth|credentials?)[ \t]{1,4}["']?(?<secret>[^\s"'<>[\]{}()|-][^\s"'<>[\]{}()|]{3,200})/gi,
  // Signatures in addresses, such as those of Azure, AWS and Google
  /[?&;](?:sig|signature|x-amz-(?:signature|credential|security-token)|x-goog-(?:signature|credential)|awsaccesskeyid|code|key|auth|access|sid|session|ticket|hmac|jwt)=(?<secret>[^&\s"'<>\\]{8,2000})/gi,
  /\bauthorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?[a-z][\w-]{2,30}[ \t]{1,4}(?<secret>[^\s"'`,(){}$][^\n"'`(){}]{7,2000})/gi,
  /\b(?:set-)?cookie["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<secret>[\w.-]{1,100}=[^\n"'`(){}]{3,4000})/gi,
  /\b(?:private-token|x-[a-z-]{0,40}(?:auth|key|token|secret|signature|session|password|credentials?)[a-z-]{0,20})["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<secret>[^\s"'`,(){}.][^\s"'`,(){}]{3,2000})/gi,
  // .netrc and .pgpass
  /\blogin[ \t]{1,8}\S{1,100}[ \t]{1,8}password[ \t]{1,8}(?<secret>\S{1,200})/g,
  /(?<!\S)[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w*-]{1,60}:[\w*-]{1,60}:(?<secret>\S{3,200})/g,
  // XML
  /<[\w:.-]{0,40}(?:password|passwd|pwd|passphrase|secret|token|api-?key)[ \t]{0,4}>(?<secret>[^<\n]{1,400})(?=<)/gi,
  /\b(?:key|name)=["'][\w:.-]{0,60}(?:password|passwd|pwd|passphrase|secret|token|key)["'][ \t]{0,8}value=["'](?<secret>[^"'\n]{1,400})/gi,
  // A value in Base64 of YAML, as Secrets of Kubernetes have them
  /^[ \t]{1,20}["']?[\w.-]{1,100}["']?:[ \t]{1,4}["']?(?<secret>[A-Za-z0-9+/]{6,4096}={1,2})(?=["']?[ \t]{0,4}$)/gm,
  // Prose of logs
  /\b(?:password|passphrase|passwd)(?: is| was| of [\w.@-]{1,60}| for [\w.@-]{1,60})? ["'](?<secret>[^\s"'+,;)][^"'\n]{2,200})/gi,
  /\b(?:password|passphrase|passwd)(?: is| was)? (?<secret>(?=[^\s\d]{0,60}\d)[^\s"'.,;:()=]{6,200})/gi,
]
