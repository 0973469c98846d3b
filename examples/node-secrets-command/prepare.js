require('node:fs').writeFileSync('/tmp/prepared', 'prepared before the start')
