import 'reflect-metadata'
import { Controller, Get, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'

@Controller()
class Hello {
  @Get()
  hello() {
    return { framework: 'nestjs' }
  }
}

@Module({ controllers: [Hello] })
class App {}

NestFactory.create(App).then((app) => app.listen(process.env.PORT ?? 3000))
