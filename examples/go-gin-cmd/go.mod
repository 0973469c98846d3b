module example.com/shop

go 1.23.4

require github.com/gin-gonic/gin v1.10.0
