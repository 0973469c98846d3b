fetch('/api')
