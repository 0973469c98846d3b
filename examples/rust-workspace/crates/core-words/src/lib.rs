pub fn word() -> &'static str {
    "a word from a workspace"
}
