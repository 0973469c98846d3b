use std::io::Write;

fn main() {
    let listener = std::net::TcpListener::bind("0.0.0.0:8080").unwrap();
    for stream in listener.incoming() {
        let body = core_words::word();
        let _ = write!(stream.unwrap(), "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{}", body.len(), body);
    }
}
