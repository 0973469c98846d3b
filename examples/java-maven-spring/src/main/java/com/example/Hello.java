package com.example;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
public class Hello {
    public static void main(String[] args) {
        SpringApplication.run(Hello.class, args);
    }

    @GetMapping("/")
    String hello() {
        return "made with spring";
    }
}
